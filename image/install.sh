#!/bin/sh
# What the image has beside Python: install.sh PACKAGES LOCK APP, run by the Dockerfile and by its test.
#
# onnxruntime, and what comes with it, is left out (120 MB): the kernel runs the models that are packed and those of
# Firefox Translations. A model that needs it says so.
set -eu
packages=$1 lock=$2 app=$3
python3 -m venv "$app"
wheel=$(ls "$packages"/dragoman-*.whl)
install="$app/bin/python -m pip install --quiet --no-cache-dir --no-compile --disable-pip-version-check"
$install --require-hashes --only-binary :all: -r "$lock"
# No index: what is locked must be all that is needed.
$install --no-index "dragoman[server] @ file://$wheel" "$packages"/dragoman_model_*.whl
"$app/bin/python" -m pip uninstall --quiet --yes onnxruntime onnx flatbuffers ml_dtypes protobuf setuptools pip
