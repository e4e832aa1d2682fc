#!/usr/bin/env bash
# Does it type-check for Windows? scripts/check-windows.sh [PACKAGE…]; without a name, every crate of the workspace.
#
# Where rustup has the target's standard library, that is used. Elsewhere one is made: Debian's rustc and its sources
# (`-Z build-std`) from its unstable suite, and mingw's compiler for the C in our dependencies. They are unpacked into
# target/windows (3 GB with what is compiled) and installed nowhere. Needs Debian or a relative of it on x86-64, and its
# packages within reach. Nothing is linked or run: this tells that our code and Windows' interfaces fit, and no more.
#
# `TARGET=aarch64-apple-darwin scripts/check-windows.sh offcut-platform` asks the same for macOS, of the one crate that
# names a system; for crates with C in their dependencies there is no compiler here.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${TARGET:-x86_64-pc-windows-gnu}
tools="$PWD/target/windows"
arguments=(--workspace)
[ $# -eq 0 ] || { arguments=(); for package in "$@"; do arguments+=(-p "$package"); done; }

die() { echo "check-windows: $*" >&2; exit 1; }

# Runs one of apt's programs with lists of its own, so that nothing of the machine's changes.
apt_in() { # FOLDER PROGRAM ARGUMENTS…
    local folder="$1"
    shift
    APT_CONFIG="$folder/apt.conf" "$@"
}

# Makes a folder for packages of one suite, from the mirror that this machine has.
lists() { # FOLDER SUITE
    mkdir -p "$1/lists/partial" "$1/cache/archives/partial" "$1/debs"
    touch "$1/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $2 main" > "$1/sources.list"
    cat > "$1/apt.conf" <<EOF
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$1/lists";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
APT::Sandbox::User "root";
EOF
    apt_in "$1" apt-get update -qq
}

mirror() {
    local found
    # shellcheck disable=SC2016
    found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $VERSION_CODENAME" | head -n 1)
    [ -n "$found" ] || die "apt knows no mirror of Debian; run \`apt-get update\` first"
    echo "$found"
}

unpack() { # FOLDER PACKAGE…
    local folder="$1"
    shift
    (cd "$folder/debs" && apt_in "$folder" apt-get download -qq "$@")
    for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$folder/root"; done
    rm -r "$folder/debs"
}

# A rustc with the sources of its standard library, started with the libraries that it was built for.
compiler() {
    local folder="$tools/rust"
    [ ! -e "$folder/done" ] || return 0
    rm -rf "$folder"
    lists "$folder" sid
    local libraries
    libraries=$(apt_in "$folder" apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
        --no-replaces --no-enhances libstd-rust-dev | grep '^[a-z0-9]')
    # shellcheck disable=SC2086
    unpack "$folder" rustc rust-src $libraries
    cat > "$folder/rustc" <<EOF
#!/bin/sh
usr="$folder/root/usr"
libraries="\$usr/lib/x86_64-linux-gnu"
exec "\$libraries/ld-linux-x86-64.so.2" --library-path "\$libraries" "\$usr/bin/rustc" --sysroot "\$usr" "\$@"
EOF
    chmod +x "$folder/rustc"
    "$folder/rustc" --version > /dev/null
    touch "$folder/done"
}

# mingw's compiler, under the names that build scripts look for.
mingw() {
    ! command -v x86_64-w64-mingw32-gcc > /dev/null || return 0
    local folder="$tools/mingw"
    export PATH="$folder/root/usr/bin:$PATH"
    export LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu"
    [ ! -e "$folder/done" ] || return 0
    rm -rf "$folder"
    lists "$folder" "$VERSION_CODENAME"
    unpack "$folder" gcc-mingw-w64-x86-64-posix gcc-mingw-w64-x86-64-posix-runtime g++-mingw-w64-x86-64-posix \
        gcc-mingw-w64-base binutils-mingw-w64-x86-64 mingw-w64-x86-64-dev mingw-w64-common libisl23 libmpc3 libmpfr6
    for name in gcc g++ c++ cpp; do
        ln -sf "x86_64-w64-mingw32-$name-posix" "$folder/root/usr/bin/x86_64-w64-mingw32-$name"
    done
    x86_64-w64-mingw32-gcc --version > /dev/null
    touch "$folder/done"
}

. /etc/os-release
export CARGO_TARGET_DIR="$tools/target"
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    exec cargo check --target "$target" "${arguments[@]}"
fi
[ "$(uname -m)" = x86_64 ] && command -v apt-get > /dev/null || die "needs \`rustup target add $target\`, or Debian on x86-64"
compiler
mingw
export RUSTC="$tools/rust/rustc" RUSTC_BOOTSTRAP=1
cargo check -Z build-std=std,panic_unwind --target "$target" "${arguments[@]}"
