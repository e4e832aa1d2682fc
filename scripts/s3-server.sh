#!/usr/bin/env bash
# A real S3 on loopback for the store's tests: Ceph's RADOS Gateway where it is installed, else moto_server.
#
#   scripts/s3-server.sh start DIR    starts a server with its data in DIR and writes DIR/env; says which one it is
#   scripts/s3-server.sh stop DIR     stops it
#   scripts/s3-server.sh run CMD…     starts one, runs CMD with its environment, stops it
#
#   scripts/s3-server.sh run cargo test -p offcut-store --features cloud --test it s3
#
# Ceph:  apt-get install --no-install-recommends ceph-mon ceph-osd radosgw
# moto:  pip install 'moto[s3,server]>=5.2.5'  (right conditions, no check of signatures; for quick tests)
# OFFCUT_S3_SERVER=ceph|moto takes only this one; OFFCUT_S3_PORT and OFFCUT_CEPH_MON_PORT name other ports.
set -euo pipefail

MON_PORT=${OFFCUT_CEPH_MON_PORT:-6790}
S3_PORT=${OFFCUT_S3_PORT:-7480}
KEY=offcut-test
SECRET=offcut-test-secret

die() { echo "s3-server: $*" >&2; exit 1; }

wait_for() { # seconds, command…
    local left=$(($1 * 5)); shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.2
    done
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$S3_PORT") 2>/dev/null; }

start_ceph() {
    local dir=$1 fsid osd
    fsid=$(cat /proc/sys/kernel/random/uuid)
    osd=$(cat /proc/sys/kernel/random/uuid)
    mkdir -p "$dir"/{mon,osd,run,log}
    cat > "$dir/ceph.conf" <<EOF
[global]
fsid = $fsid
mon host = [v1:127.0.0.1:$MON_PORT/0]
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 2
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
osd objectstore = memstore
osd class update on start = false
osd crush update on start = false
memstore device bytes = 2147483648
run dir = $dir/run
admin socket = $dir/run/\$name.\$pid.asok
pid file = $dir/run/\$name.pid
log file = $dir/log/\$name.log
mon data = $dir/mon
osd data = $dir/osd
mon cluster log file = $dir/log/cluster.log
rgw data = $dir/run
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$S3_PORT
EOF
    export CEPH_CONF=$dir/ceph.conf
    monmaptool --create --fsid "$fsid" --addv a "[v1:127.0.0.1:$MON_PORT/0]" "$dir/monmap" >/dev/null
    ceph-mon --mkfs -i a --monmap "$dir/monmap" >/dev/null
    ceph-mon -i a
    wait_for 20 ceph -s || die "the monitor does not answer"
    ceph osd new "$osd" >/dev/null
    ceph-osd -i 0 --mkfs --osd-uuid "$osd" >/dev/null
    wait_for 10 ceph osd crush add 0 1.0 root=default host=localhost || die "the OSD is not taken into the map"
    ceph-osd -i 0
    wait_for 20 sh -c 'ceph osd stat | grep -q "1 up"' || die "the OSD does not come up"
    radosgw -n client.rgw
    wait_for 60 listening || die "the gateway does not listen"
    radosgw-admin user create --uid offcut --display-name offcut --access-key "$KEY" --secret-key "$SECRET" >/dev/null 2>&1
}

start_moto() {
    moto_server -H 127.0.0.1 -p "$S3_PORT" > "$1/moto.log" 2>&1 &
    echo $! > "$1/moto.pid"
    wait_for 30 listening || die "moto_server does not listen"
}

create_bucket() {
    AWS_ACCESS_KEY_ID=$KEY AWS_SECRET_ACCESS_KEY=$SECRET python3 - "$S3_PORT" offcut <<'EOF'
"""Creates a bucket with nothing but the standard library: one request, signed as S3 wants it."""
import datetime, hashlib, hmac, http.client, os, sys

port, bucket = int(sys.argv[1]), sys.argv[2]
now = datetime.datetime.now(datetime.timezone.utc)
stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
empty = hashlib.sha256(b"").hexdigest()
headers = {"host": f"127.0.0.1:{port}", "x-amz-content-sha256": empty, "x-amz-date": stamp}
names = ";".join(sorted(headers))
lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
request = f"PUT\n/{bucket}\n\n{lines}\n{names}\n{empty}"
scope = f"{day}/us-east-1/s3/aws4_request"
text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
key = ("AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"]).encode()
for part in (day, "us-east-1", "s3", "aws4_request"):
    key = hmac.new(key, part.encode(), hashlib.sha256).digest()
signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
headers["authorization"] = (
    f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/{scope}, SignedHeaders={names}, Signature={signature}"
)
connection = http.client.HTTPConnection("127.0.0.1", port)
connection.request("PUT", f"/{bucket}", headers=headers)
answer = connection.getresponse()
if answer.status not in (200, 409):
    sys.exit(f"s3-server: no bucket: {answer.status} {answer.read()[:300]!r}")
EOF
}

start() {
    local dir=$1 which wanted=${OFFCUT_S3_SERVER:-any}
    mkdir -p "$dir"
    ! listening || die "something listens on port $S3_PORT already"
    if [ "$wanted" != moto ] && command -v radosgw >/dev/null && command -v ceph-osd >/dev/null; then
        which="Ceph RADOS Gateway $(radosgw --version | sed 's/^ceph version \([^ ]*\).*/\1/')"
        start_ceph "$dir"
    elif [ "$wanted" != ceph ] && command -v moto_server >/dev/null; then
        which="moto_server"
        start_moto "$dir"
    else
        die "neither radosgw nor moto_server is installed (wanted: $wanted)"
    fi
    create_bucket
    cat > "$dir/env" <<EOF
export OFFCUT_TEST_S3=s3://offcut/test
export AWS_ENDPOINT_URL=http://127.0.0.1:$S3_PORT
export AWS_ENDPOINT=http://127.0.0.1:$S3_PORT
export AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=$KEY
export AWS_SECRET_ACCESS_KEY=$SECRET
EOF
    echo "$which" > "$dir/name"
    echo "s3-server: $which on 127.0.0.1:$S3_PORT" >&2
}

stop() {
    local dir=$1 file
    # The gateway first, the monitor last; each by the process id that it wrote down.
    for file in "$dir"/moto.pid "$dir"/run/client.rgw.pid "$dir"/run/osd.0.pid "$dir"/run/mon.a.pid; do
        if [ -f "$file" ]; then
            kill "$(cat "$file")" 2>/dev/null || true
        fi
    done
}

case ${1:-} in
    start) start "${2:?a directory}" ;;
    stop) stop "${2:?a directory}" ;;
    run)
        shift
        dir=$(mktemp -d)
        trap 'stop "$dir"; sleep 1; rm -rf "$dir"' EXIT
        start "$dir"
        # shellcheck disable=SC1091
        . "$dir/env"
        "$@"
        ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
