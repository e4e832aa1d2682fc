#!/usr/bin/env bash
# Dependencies that nobody uses, and those whose licence, source or version we do not want: scripts/check-dependencies.sh
#
# Takes cargo-machete and cargo-deny from the PATH, else installs them into target/tools. Advisories need a database
# from the network: where it cannot be had, that part is skipped, loudly, and the rest still counts.
set -euo pipefail
cd "$(dirname "$0")/.."

tools="$PWD/target/tools"
export PATH="$tools/bin:$PATH"

install() { # install PROGRAM VERSION
    command -v "$1" > /dev/null && return
    echo "installing $1 $2" >&2
    cargo install --quiet --locked --debug --root "$tools" "$1@$2"
}

skip() { printf '\n** skipped: %s\n\n' "$*" >&2; }

if install cargo-machete 0.9.2; then
    cargo machete
else
    skip "unused dependencies were not looked for: cargo-machete could not be installed"
fi

if install cargo-deny 0.20.2; then
    cargo deny check --hide-inclusion-graph bans licenses sources
    if ! timeout 60 cargo deny fetch db > /dev/null 2>&1; then
        skip "advisories were not checked: their database could not be fetched"
    else
        cargo deny --offline check advisories
    fi
else
    skip "licences, sources and versions were not checked: cargo-deny could not be installed"
fi
