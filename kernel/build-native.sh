#!/bin/sh
# Builds the kernel as shared libraries into py/dragoman/engines/libraries, one a platform, with the C compiler of the PyPI
# package ziglang: `python -m pip install ziglang==0.17.1`, then `PYTHON=python kernel/build-native.sh`.
# A library needs no other one (on macOS the system's own): it calls nothing, and so runs with any C library. Names of libraries as
# arguments build these alone, and leave BUILDINFO-native as it is; OUT is another folder for them.
set -eu
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
ZIG=${ZIG:-"$PYTHON -m ziglang"}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
OUT=${OUT:-../py/dragoman/engines/libraries}
mkdir -p "$OUT"

# path NAME MACRO OPTIONS...
path() {
    name=$1 macro=$2
    shift 2
    compile "$objects/$name.o" src/native/path.c -DNAME="$name" -DPATH_"$macro" "$@"
}

compile() {
    object=$1 source=$2
    shift 2
    $ZIG cc -target "$target" -std=c17 -O3 -ffreestanding -fno-builtin -ffp-contract=off -fno-math-errno -fPIC \
        -fvisibility=hidden -fno-stack-protector -fno-sanitize=all -fomit-frame-pointer -g0 \
        -Wall -Wextra -Werror "$@" -c -o "$object" "$source"
}

for library in ${*:-linux-x86_64.so linux-aarch64.so macos-x86_64.dylib macos-aarch64.dylib windows-x86_64.dll}; do
    rm -f "$objects"/*.o
    case $library in
    linux-x86_64.so) target=x86_64-linux-none ;;
    linux-aarch64.so) target=aarch64-linux-none ;;
    macos-x86_64.dylib) target=x86_64-macos-none ;;
    macos-aarch64.dylib) target=aarch64-macos-none ;;
    windows-x86_64.dll) target=x86_64-windows-gnu ;;
    esac
    case $library in
    *x86_64*)
        compile "$objects/choose.o" src/native/choose.c -mcpu=x86_64
        path sse41 SSE41 -mcpu=x86_64 -msse4.1
        path avx2 AVX2 -mcpu=x86_64 -mavx2
        path avx512 AVX512 -mcpu=x86_64 -mavx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
        path avxvnni AVXVNNI -mcpu=x86_64 -mavx2 -mavxvnni
        path avx512vnni AVX512VNNI -mcpu=x86_64 -mavx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mprefer-vector-width=512
        ;;
    *)
        compile "$objects/choose.o" src/native/choose.c
        path neon NEON
        path dotprod DOTPROD -mcpu=generic+dotprod
        ;;
    esac
    $ZIG cc -target "$target" -shared -nostdlib -s -o "$OUT/$library" "$objects"/*.o
done
rm -f "$OUT"/*.lib
[ $# -gt 0 ] || [ "$OUT" != ../py/dragoman/engines/libraries ] || {
    echo "ziglang $($ZIG version)"
    sha256sum build-native.sh src/*.[ch] src/native/* "$OUT"/*.so "$OUT"/*.dylib "$OUT"/*.dll
} >dist/BUILDINFO-native
