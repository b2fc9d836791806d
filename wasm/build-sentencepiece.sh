#!/bin/bash
# Builds the SentencePiece wheel for Pyodide from the unmodified PyPI source release.
#
#   sudo wasm/build-sentencepiece.sh [WORKDIR]
#
# Wanted on the machine: Debian (its own apt sources name the mirror), root, mmdebstrap, python3 with
# pip, node and npm; 2 GB of free disk. Takes about 4 minutes on two cores.
# WORKDIR (default: a temporary folder that is removed) keeps the downloads, the chroot and the build.
# Result: wasm/wheels/*.whl, SHA256SUMS, BUILDINFO and LICENSES/, written only after the import test.
#
#   downloads (hash-checked) -> chroot of a newer Debian -> cross-build environment made by hand
#     -> pyodide build, no network -> repacked wheel -> import test in node -> wasm/wheels/
#
# Why by hand: `pyodide xbuildenv install` fetches Pyodide's headers and settings, and emsdk fetches the
# compiler, from servers that are no package registry. What they would bring is derivable: settings
# come out of python_stdlib.zip in the npm package, headers and compiler out of Debian.
set -euo pipefail

# ---- parameters -----------------------------------------------------------------------------------
SP_VERSION=0.2.1
SP_SHA256=8138cec27c2f2282f4a34d9a016e3374cd40e5c6e9cb335063db66a0a3b71fad   # the .tar.gz on PyPI
PYODIDE_VERSION=314.0.7            # npm; its ABI, Python and Emscripten versions are read out of it
SUITE=${SUITE:-forky}              # the first Debian suite with Python 3.14 and Emscripten
PYTHON=${PYTHON:-python3}          # any host Python with pip
# -O2 for the library (pyodide-build's own choice is -Oz): see README.md for what it costs and brings.
OPT=${OPT:--O2}
# A zip has dates; a fixed one makes the wheel a function of its contents. 2025-08-12, the release.
export SOURCE_DATE_EPOCH=1754956800

here=$(cd "$(dirname "$0")" && pwd)
wheels=${OUT:-$here/wheels}
if [ $# -gt 0 ]; then mkdir -p "$1"; work=$(cd "$1" && pwd)
else work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; fi
step() { printf '== %s\n' "$*"; }
[ "$(id -u)" = 0 ] || { echo "mmdebstrap and chroot need root" >&2; exit 1; }
for tool in mmdebstrap node npm unshare "$PYTHON"; do
  command -v "$tool" >/dev/null || { echo "missing: $tool" >&2; exit 1; }
done

# ---- downloads ------------------------------------------------------------------------------------
step "downloads"
mkdir -p "$work/sdist" "$work/wheelhouse"
# pip runs a source release's setup.py to read its metadata; with --require-hashes it compares the
# hash first. --no-build-isolation would use whatever setuptools the host has, so it is not given.
printf 'sentencepiece==%s --hash=sha256:%s\n' "$SP_VERSION" "$SP_SHA256" > "$work/sdist.txt"
"$PYTHON" -m pip download -qq --disable-pip-version-check --no-deps --no-binary sentencepiece \
  --require-hashes -r "$work/sdist.txt" -d "$work/sdist"
echo "$SP_SHA256  $work/sdist/sentencepiece-$SP_VERSION.tar.gz" | sha256sum --check --quiet
"$PYTHON" -m pip download -qq --disable-pip-version-check --require-hashes --only-binary :all: \
  --python-version 3.14 --implementation cp --abi cp314 --abi none \
  --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 \
  -r "$here/build-requirements.txt" -d "$work/wheelhouse"
npm install --silent --no-save --no-audit --no-fund --ignore-scripts \
  --prefix "$work/npm" "pyodide@$PYODIDE_VERSION"
pyodide_js=$work/npm/node_modules/pyodide
"$PYTHON" "$here/verify.py" --only pyodide "$work/npm/node_modules"

# ---- the chroot -----------------------------------------------------------------------------------
# Debian stable has neither Python 3.14 nor a recent Emscripten, and mixing suites on the machine
# itself would replace its libc. The mirror is the one this machine's apt uses for its own suite.
chroot=$work/chroot
if [ ! -e "$chroot/.complete" ]; then
  step "chroot of $SUITE"
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(CREATED_BY) $(REPO_URI)' |
    awk -v c="$codename" '$1 == c && $2 == "main" && $3 == "Packages" { print $4; exit }')
  rm -rf "$chroot"
  # Check-Valid-Until: a mirror that lags behind would otherwise be refused; signatures are still checked.
  mmdebstrap --quiet --variant=minbase \
    --include=emscripten,python3.14-dev,python3-venv,python3-pip,make,cmake \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    "$SUITE" "$chroot" "$mirror"
  touch "$chroot/.complete"
fi

# ---- the cross-build environment ------------------------------------------------------------------
step "cross-build environment"
build=$chroot/build                # a fixed path inside the chroot, so no path of this machine is built in
rm -rf "$build"; mkdir -p "$build/wheelhouse"
cp "$work"/wheelhouse/*.whl "$build/wheelhouse/"
tar -xzf "$work/sdist/sentencepiece-$SP_VERSION.tar.gz" -C "$build"
# pyodide-build takes .../VERSION/xbuildenv/pyodide-root, and looks for the compiler in .../VERSION/emsdk.
root=$build/xb/$PYODIDE_VERSION/xbuildenv/pyodide-root
mkdir -p "$root/dist" "$root/python/sysconfigdata" "$build/xb/$PYODIDE_VERSION/emsdk/upstream"
ln -s /usr/share/emscripten "$build/xb/$PYODIDE_VERSION/emsdk/upstream/emscripten"
: > "$root/../requirements.txt"    # packages with cross-build files of their own (numpy, ...): none here
cp "$pyodide_js/pyodide-lock.json" "$root/dist/"
cp -r "$chroot/usr/include/python3.14" "$root/python/include"
"$PYTHON" - "$pyodide_js" "$root" "$chroot" "$OPT" <<'PY'
"""Writes sysconfigdata, pyconfig.h and Makefile.envs of the cross-build environment."""
import json, re, sys, zipfile
from pathlib import Path

pyodide_js, root, chroot = map(Path, sys.argv[1:4])
name = "_sysconfigdata__emscripten_wasm32-emscripten"
source = zipfile.ZipFile(pyodide_js / "python_stdlib.zip").read(name + ".py").decode()
(root / "python/sysconfigdata" / (name + ".py")).write_text(source)
scope: dict = {}
exec(source, scope)
target = scope["build_time_vars"]

# CPython's configure results for the browser are in sysconfigdata (it holds pyconfig.h's macros too);
# Debian's pyconfig.h only says which macros there are. A wrong SIZEOF_LONG here would compile and crash.
native = (chroot / "usr/include/x86_64-linux-gnu/python3.14/pyconfig.h").read_text()
names = re.findall(r"^(?:# *define +|/\* *# *undef +)([A-Z]\w+)", native, re.M)
lines = ["#ifndef Py_PYCONFIG_H", "#define Py_PYCONFIG_H"]
for macro in dict.fromkeys(names):
    value = target.get(macro, 0)
    # 0 stands for both `#undef X` and `#define X 0`; only autoconf's HAVE_DECL_* tell them apart.
    if value != 0 or macro.startswith("HAVE_DECL_"):
        lines.append(f"#define {macro} {value}")
# Names with a leading underscore are not in sysconfigdata; these are needed, and true of wasm32.
lines += ["#define _GNU_SOURCE 1", "#define _Py_STACK_GROWS_DOWN 1", "#endif"]
(root / "python/include/pyconfig.h").write_text("\n".join(lines) + "\n")
assert target["SIZEOF_LONG"] == target["SIZEOF_VOID_P"] == 4, "not a wasm32 sysconfigdata"

info = json.loads((pyodide_js / "pyodide-lock.json").read_text())["info"]
major, minor, micro = info["python"].split(".")
abi_flags = "-fPIC -fwasm-exceptions -sSUPPORT_LONGJMP=wasm -sWASM_LEGACY_EXCEPTIONS=1"
for flag in abi_flags.split()[:3]:
    assert flag in target["CFLAGS"], f"Pyodide is not built with {flag}: {target['CFLAGS']}"
settings = {
    "PYODIDE_VERSION": root.parent.parent.name,
    "PYODIDE_ABI_VERSION": info["abi_version"],
    "PYODIDE_EMSCRIPTEN_VERSION": info["platform"].removeprefix("emscripten_").replace("_", "."),
    "PYVERSION": info["python"], "PYMAJOR": major, "PYMINOR": minor, "PYMICRO": micro,
    "PLATFORM_TRIPLET": "wasm32-emscripten", "SYSCONFIG_NAME": name,
    "SYSCONFIGDATA_DIR": "$(PYODIDE_ROOT)/python/sysconfigdata",
    "TARGETINSTALLDIR": "$(PYODIDE_ROOT)/python", "CPYTHONINSTALL": "$(PYODIDE_ROOT)/python",
    "PYTHONINCLUDE": "$(PYODIDE_ROOT)/python/include",
    "PIP_CONSTRAINT": "",
    # The exception flags are part of the ABI: C++ exceptions and longjmp must unwind as in pyodide.asm.wasm.
    "CFLAGS_BASE": abi_flags,
    "CXXFLAGS_BASE": abi_flags,
    # LLVM's wasm-ld calls position-independent wasm experimental and, with --fatal-warnings, stops.
    "LDFLAGS_BASE": abi_flags + " -sWASM_BIGINT -Wl,--experimental-pic",
}
(root / "Makefile.envs").write_text(
    "".join(f"export {key} = {value}\n" for key, value in settings.items())
    + ".output_vars:\n\t@env\n"
)
PY

# ---- build ----------------------------------------------------------------------------------------
step "pyodide build"
cat > "$build/run.sh" <<EOF
set -eu
export HOME=/build LC_ALL=C.UTF-8 PATH=/build/venv/bin:/usr/lib/llvm-21/bin:/usr/bin:/bin
export PYODIDE_ROOT=/build/xb/$PYODIDE_VERSION/xbuildenv/pyodide-root
# The suite has Emscripten 6 where Pyodide was built with 5.0.3: the check would refuse it, the import
# test decides instead. A side module takes libc and libc++ from Pyodide, so only headers differ.
export SKIP_EMSCRIPTEN_VERSION_CHECK=1
export CFLAGS="$OPT" CXXFLAGS="$OPT" LDFLAGS="$OPT" SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH
# Hash seeds reach the order in which some tools write their output.
export PYTHONHASHSEED=0
python3.14 -m venv /build/venv
pip install -q --no-index --no-deps /build/wheelhouse/*.whl
cd /build/sentencepiece-$SP_VERSION
# --exports: the module's only door; everything else becomes local and can be dropped. Named, because
# finding it (--exports pyinit) runs emnm in a way that Debian's emnm does not survive. The comma makes
# it a list.
# --no-isolation: the isolated environment would be filled from a network that is not there.
pyodide build --skip-emscripten-install --no-isolation --exports PyInit__sentencepiece, --outdir /build/dist
{
  echo "emscripten \$(cat /usr/share/emscripten/emscripten-version.txt | tr -d '\"')"
  dpkg-query -W -f '\${Package} \${Version}\n' emscripten clang-21 lld-21 binaryen python3.14-dev cmake
} > /build/BUILDINFO
EOF
# A mount namespace of its own: /proc is there for the build and gone with it, whatever happens.
# A network namespace of its own: nothing can be fetched behind the recipe's back.
env -i unshare --mount --net --fork bash -c '
  mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" 2>/dev/null
  exec chroot "$1" /bin/sh /build/run.sh' - "$chroot" > "$work/build.log" 2>&1 ||
  { tail -40 "$work/build.log" >&2; echo "build failed, whole log: $work/build.log" >&2; exit 1; }

# ---- repack ---------------------------------------------------------------------------------------
step "repack"
rm -rf "$work/out"; mkdir -p "$work/out"
"$PYTHON" - "$build" "$work/out" "$SP_VERSION" "$SOURCE_DATE_EPOCH" <<'PY'
"""Rewrites the wheel: what is not used at run time left out, licences put in, dates and order fixed."""
import base64, hashlib, sys, time, zipfile
from pathlib import Path

build, out, version, epoch = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
(built,) = (build / "dist").glob("*.whl")
info = f"sentencepiece-{version}.dist-info"
with zipfile.ZipFile(built) as wheel:
    files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}

# Training only: normalization tables for the trainer (a model carries its own), the protobuf classes
# (they import google.protobuf), the SWIG sources.
UNUSED = ("package_data/", "_pb2.py", ".cxx", ".i", f"{info}/RECORD")
files = {name: data for name, data in files.items() if not any(u in name for u in UNUSED[:1]) and not name.endswith(UNUSED[1:])}

# The release keeps its licences where setuptools does not look; all five must go with the binary.
source = build / f"sentencepiece-{version}" / "sentencepiece"
licences = {"LICENSE": source / "LICENSE"}
for path in sorted(source.glob("third_party/*/LICENSE")):
    licences[f"LICENSE.{path.parent.name}"] = path
(out / "LICENSES").mkdir()
for name, path in licences.items():
    files[f"{info}/licenses/{name}"] = path.read_bytes()
    (out / "LICENSES" / name).write_bytes(path.read_bytes())

record = ""
for name in sorted(files):
    digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(files[name])}\n"
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

date = time.gmtime(epoch)[:6]
with zipfile.ZipFile(out / built.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    for name in sorted(files, key=lambda n: (n.startswith(info), n)):
        entry = zipfile.ZipInfo(name, date)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        wheel.writestr(entry, files[name], compresslevel=9)
        print(f"  {len(files[name]):9,}  {name}")
PY
wheel=$(cd "$work/out" && echo *.whl)

# ---- import test, then publish --------------------------------------------------------------------
step "import test"
node "$here/test_wheel_node.mjs" --import-only "$work/npm/node_modules/pyodide" "$work/out/$wheel"

rm -rf "$wheels"; mkdir -p "$wheels"
cp -r "$work/out/$wheel" "$work/out/LICENSES" "$wheels/"
{ echo "sentencepiece $SP_VERSION, sdist sha256 $SP_SHA256"; echo "pyodide $PYODIDE_VERSION"
  echo "suite $SUITE, optimization $OPT"; cat "$build/BUILDINFO"; } > "$wheels/BUILDINFO"
(cd "$wheels" && sha256sum "$wheel" > SHA256SUMS && cat SHA256SUMS)
stat -c '%s bytes  %n' "$wheels/$wheel" | sed "s#$wheels/##"
