#!/usr/bin/env bash
# The suite that every store passes, against a real S3 on loopback: scripts/test-s3.sh
#
# Takes Ceph's RADOS Gateway where it is installed or can be (apt, as root), else moto_server (on the path, or from PyPI
# into a folder that goes with the run). Says which one it used. Where neither can be had it says `skipped: …` and
# succeeds: only a test that fails is a failure.
#
#   OFFCUT_S3_SERVER=ceph|moto   takes only this one
#   OFFCUT_S3_INSTALL=0          installs nothing
set -euo pipefail
cd "$(dirname "$0")/.."

WANTED=${OFFCUT_S3_SERVER:-any}
INSTALL=${OFFCUT_S3_INSTALL:-1}
dir=$(mktemp -d)
started=""

say() { echo "test-s3: $*" >&2; }

finish() {
    [ -z "$started" ] || scripts/s3-server.sh stop "$dir/server"
    # The servers write their last words into the folder.
    [ -z "$started" ] || sleep 1
    rm -rf "$dir"
}
trap finish EXIT

skip() {
    printf '\n**************************************************************\n' >&2
    printf 'skipped: the S3 suite did not run: %s\n' "$*" >&2
    printf '**************************************************************\n\n' >&2
    exit 0
}

has() { command -v "$1" >/dev/null 2>&1; }

has_ceph() { has radosgw && has radosgw-admin && has ceph-osd && has ceph-mon && has ceph && has monmaptool; }

install_ceph() {
    [ "$INSTALL" = 1 ] && [ "$(id -u)" = 0 ] && has apt-get || return 1
    say "installing Ceph from the system's packages"
    export DEBIAN_FRONTEND=noninteractive
    timeout 60 apt-get update >"$dir/apt.log" 2>&1 || true
    timeout 180 apt-get install -y --no-install-recommends ceph-mon ceph-osd radosgw >>"$dir/apt.log" 2>&1 && has_ceph
}

install_moto() {
    [ "$INSTALL" = 1 ] || return 1
    say "installing moto_server from PyPI"
    python3 -m venv "$dir/venv" >"$dir/pip.log" 2>&1 || return 1
    timeout 180 "$dir/venv/bin/pip" install --quiet 'moto[s3,server]>=5.2.5' >>"$dir/pip.log" 2>&1 || return 1
    PATH=$dir/venv/bin:$PATH
}

# Starts a server of this kind; what went wrong is printed, and left for the next kind to do better.
start() {
    export OFFCUT_S3_SERVER=$1
    mkdir -p "$dir/server"
    started=1
    scripts/s3-server.sh start "$dir/server" && return 0
    scripts/s3-server.sh stop "$dir/server"
    sleep 1
    rm -rf "$dir/server"
    started=""
    return 1
}

has python3 || skip "there is no python3, which makes the bucket"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
OFFCUT_S3_PORT=${OFFCUT_S3_PORT:-$(free_port)}
OFFCUT_CEPH_MON_PORT=${OFFCUT_CEPH_MON_PORT:-$(free_port)}
export OFFCUT_S3_PORT OFFCUT_CEPH_MON_PORT

# What takes long is compiled before a server waits for it.
cargo test --quiet -p offcut-store --features cloud --test it --no-run

if [ "$WANTED" != moto ] && { has_ceph || install_ceph; } && start ceph; then
    :
elif [ "$WANTED" != ceph ] && { has moto_server || install_moto; } && start moto; then
    :
else
    cat "$dir"/*.log 2>/dev/null | tail -5 >&2 || true
    skip "no server could be had (wanted: $WANTED)"
fi

# shellcheck disable=SC1091
. "$dir/server/env"
say "running the suite against $(cat "$dir/server/name")"
cargo test -p offcut-store --features cloud --test it s3
say "passed against $(cat "$dir/server/name")"
