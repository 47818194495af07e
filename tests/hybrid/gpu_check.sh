#!/bin/sh
# Plans against a real NVIDIA GPU, in parts of under eight minutes each. What is built is kept in build/gpu-check.
#
#   tests/hybrid/gpu_check.sh prepare   on a machine with the index: sources and wheels into build/gpu-check
#   tests/hybrid/gpu_check.sh build     on the GPU's machine, no network: environment, CUDA backend for its GPU alone
#   tests/hybrid/gpu_check.sh measure   there: random weights in the shape of a 30B-A3B, several limits, one JSON object
#
# Needs there: Python as here, cmake, nvcc, a C++ compiler. Tables go to $OUT or build/gpu-check/out.
set -eu
cd "$(dirname "$0")/../.."
kept=build/gpu-check
version=$(sed -n 's/.*"llama-cpp-python==\([0-9.]*\)".*/\1/p' pyproject.toml)
python=$kept/venv/bin/python

say() { printf '\n==> %s (%s)\n' "$1" "$(date +%H:%M:%S)" >&2; }
needs() { command -v "$1" >/dev/null 2>&1 || { echo "gpu_check: $1 is missing on this machine" >&2; exit 1; }; }

prepare() {
    mkdir -p "$kept/wheels"
    say "sources of llama-cpp-python $version, without what a backend doesn't need"
    .venv/bin/python -m pip download -q --no-deps --no-binary=llama-cpp-python -d "$kept" "llama-cpp-python==$version"
    tar -xzf "$kept/llama_cpp_python-$version.tar.gz" -C "$kept"
    (cd "$kept/llama_cpp_python-$version/vendor/llama.cpp" &&
        tar -cJf ../../../llama.cpp.tar.xz CMakeLists.txt LICENSE cmake include src ggml/CMakeLists.txt ggml/cmake \
            ggml/include ggml/src/*.c ggml/src/*.cpp ggml/src/*.h ggml/src/CMakeLists.txt ggml/src/ggml-cuda)
    rm -rf "$kept/llama_cpp_python-$version" "$kept/llama_cpp_python-$version.tar.gz"
    say "wheels"
    newest=$(ls -t "${XDG_CACHE_HOME:-$HOME/.cache}"/aipc/wheels/llama-cpp-python-"$version"-*/*.whl | head -n 1)
    cp "$newest" "$kept/wheels/"
    names='numpy|diskcache|msgspec|psutil|gguf|jinja2|markupsafe|typing-extensions|platformdirs|pyyaml|tqdm|requests'
    grep -iE "^($names)==" requirements/constraints.txt > "$kept/wheels.txt"
    .venv/bin/python -m pip download -q -d "$kept/wheels" --only-binary=:all: --no-deps -r "$kept/wheels.txt"
    du -sh "$kept" >&2
}

build() {
    needs cmake
    nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
    [ -n "$nvcc" ] || { echo "gpu_check: nvcc is missing on this machine" >&2; exit 1; }
    if [ ! -x "$python" ]; then
        say "environment"
        python3 -m venv "$kept/venv"
        "$python" -m pip install -q --no-index --no-deps "$kept"/wheels/*.whl
    fi
    bin=$(ls -d "$kept"/venv/lib/python3*/site-packages/bin)
    [ -f "$bin/libggml-cuda.so" ] && return 0
    say "CUDA backend for this GPU"
    [ -d "$kept/llama.cpp" ] || { mkdir -p "$kept/llama.cpp" && tar -xJf "$kept/llama.cpp.tar.xz" -C "$kept/llama.cpp"; }
    cmake -S "$kept/llama.cpp/ggml" -B "$kept/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
        -DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU=OFF -DGGML_CUDA=ON -DGGML_CUDA_NCCL=OFF \
        -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="${CUDA_ARCHITECTURE:-native}" >&2
    cmake --build "$kept/build" --target ggml-cuda -j "$(nproc)" >&2
    cp "$(find "$kept/build" -name libggml-cuda.so | head -n 1)" "$bin/"
    say "built"
}

measure() {
    out=${OUT:-$kept/out}
    mkdir -p "$out"
    say "measuring"
    "$python" tests/hybrid/gpu_check.py --folder "$kept" --out "$out/placement.json" "$@"
}

part=${1:-help}
[ "$#" -gt 0 ] && shift
case $part in
prepare | build | measure) "$part" "$@" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
