#!/usr/bin/env bash
# The Python package: builds the wheel as a developer does, installs it into an environment of its own, and runs its
# tests, type checks and lints. Libraries that cannot be installed are skipped, loudly.
#
#     scripts/test-python.sh [ARGUMENTS OF PYTEST…]
#     scripts/test-python.sh --fetch        only installs what the tests need
#
# PYTHON_ADAPTERS names the libraries of tests/libraries.txt to test with (all of them): the first install of all takes
# three minutes. The scripted model is looked for in `shared/testkit` beside the project, or where OFFCUT_TESTKIT says.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD

if ! command -v python3 > /dev/null || ! python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))'; then
    echo "skipped: the Python package needs python3 (3.10 or later) with venv" >&2
    exit 0
fi

work="$project/target/python"
venv="$work/venv"
mkdir -p "$work"
[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"

# Installs once for each list of packages.
install() {
    local stamp
    stamp="$venv/.$1-$(echo "${*:2}" | cksum | cut -d ' ' -f 1)"
    [ -e "$stamp" ] || { "$venv/bin/pip" install --quiet --disable-pip-version-check "${@:2}" && touch "$stamp"; }
}
install tools "maturin>=1.12,<2" pytest pytest-asyncio mypy ruff basedpyright || {
    echo "skipped: the Python package was not built: maturin, pytest, mypy, basedpyright and ruff could not be installed" >&2
    exit 0
}
# Each adapter's library by itself: one that is missing leaves the others.
wanted() { [ -z "${PYTHON_ADAPTERS-}" ] || [[ " $PYTHON_ADAPTERS " == *" $1 "* ]]; }
while read -r name packages; do
    wanted "$name" || continue
    # shellcheck disable=SC2086
    install "$name" $packages || echo "skipped: the adapter for $name is not tested: $packages" >&2
done < crates/python/tests/libraries.txt
[ "${1-}" != --fetch ] || exit 0

export PYO3_PYTHON="$venv/bin/python" CARGO_TARGET_DIR="$project/target"
cargo fmt --manifest-path crates/python/Cargo.toml --check
cargo clippy --quiet --manifest-path crates/python/Cargo.toml --all-targets -- -D warnings

# The wheel carries the command as well.
cargo build --quiet -p offcut
mkdir -p crates/python/offcut.data/scripts
strip -o crates/python/offcut.data/scripts/offcut target/debug/offcut 2> /dev/null ||
    cp target/debug/offcut crates/python/offcut.data/scripts/offcut

rm -rf "$work/wheels"
"$venv/bin/maturin" build --quiet \
    --manifest-path crates/python/Cargo.toml --auditwheel skip --out "$work/wheels"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$work"/wheels/offcut-*.whl

cd crates/python
"$venv/bin/ruff" check --quiet python tests bench.py
"$venv/bin/ruff" format --check --quiet python tests bench.py
"$venv/bin/mypy"
"$venv/bin/basedpyright" --pythonpath "$venv/bin/python" --level error
# What the stubs say of the native module is what it has. Outside of the source, so that the installed package is meant.
# So is what users see of the types.
(cd "$work" && "$venv/bin/mypy" --strict "$project/crates/python/tests/typed_use.py")
(cd "$work" && "$venv/bin/python" -m mypy.stubtest offcut._native --ignore-missing-stub --allowlist "$project/crates/python/tests/stubtest-allowlist.txt")
"$venv/bin/python" -m pytest -q "$@"

# LlamaIndex wants another version of OpenAI's SDK than the others.
llama="$work/venv-llama-index"
if wanted llama-index && [ ! -e "$llama/.complete" ] && python3 -m venv "$llama" &&
    "$llama/bin/pip" install --quiet --disable-pip-version-check llama-index-core llama-index-llms-openai-like pytest pytest-asyncio; then
    touch "$llama/.complete"
fi
if ! wanted llama-index; then
    echo "skipped: the adapter for LlamaIndex is not tested: PYTHON_ADAPTERS leaves it out" >&2
elif [ -e "$llama/.complete" ]; then
    "$llama/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$work"/wheels/offcut-*.whl
    "$llama/bin/python" -m pytest -q -W ignore -k llama_index tests/test_adapters.py
else
    echo "skipped: the adapter for LlamaIndex is not tested: llama-index-core could not be installed" >&2
fi
