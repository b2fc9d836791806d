#!/bin/sh
# Builds the kernel's four variants into kernel/dist, with clang 19 and wasm-ld 19 (Debian: clang-19, lld-19).
#   plain | relaxed   widened or byte products (dots.h)
#   one | shared      a memory of its own, or one that instances share (needs cross-origin isolation)
set -eu
cd "$(dirname "$0")"
CLANG=${CLANG:-clang-19}
WASM_LD=${WASM_LD:-wasm-ld-19}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir -p dist
for simd in plain relaxed; do
    for memory in one shared; do
        options="-msimd128 -mbulk-memory"
        [ $simd = plain ] || options="$options -mrelaxed-simd -DRELAXED"
        [ $memory = one ] || options="$options -matomics"
        for source in src/*.c src/wasm/*.c; do
            "$CLANG" --target=wasm32-unknown-unknown -std=c17 -O3 -ffreestanding -ffp-contract=off -Wall -Wextra -Werror $options \
                -c -o "$objects/$(basename "$source").o" "$source"
        done
        linking="--no-entry --import-memory --strip-all -z stack-size=65536 --export=__stack_pointer"
        [ $memory = one ] || linking="$linking --shared-memory --max-memory=1073741824"
        "$WASM_LD" $linking -o "dist/$simd-$memory.wasm" "$objects"/*.o
    done
done
{
    "$CLANG" --version | head -1
    sha256sum build.sh src/*.[ch] src/wasm/*.c dist/*.wasm
} >dist/BUILDINFO
