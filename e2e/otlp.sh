#!/usr/bin/env bash
# Traces and metrics as a real collector takes them: Rotel (PyPI's package `rotel` has its program inside).
#
#   pip download --no-deps rotel && unzip rotel-*.whl 'rotel/rotel-agent' && chmod +x rotel/rotel-agent
#   bash e2e/otlp.sh path/of/rotel-agent [path of offcut]
set -euo pipefail
rotel=$(realpath "$1")
offcut=$(realpath "${2:-target/release/offcut}")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
at=127.0.0.1:${OTLP_PORT:-43180}
"$rotel" start --otlp-http-endpoint "$at" --otlp-grpc-endpoint "127.0.0.1:${OTLP_GRPC_PORT:-43170}" \
  --exporter blackhole --debug-log traces --debug-log metrics --debug-log-verbosity detailed >"$work/log" 2>&1 &
for _ in $(seq 100); do (exec 3<>"/dev/tcp/${at/://}") 2>/dev/null && break; sleep 0.1; done

mkdir -p "$work/project/.git" "$work/.config/offcut"
printf '[telemetry]\notlp = "http://%s"\ntimeout_ms = 5000\n' "$at" >"$work/.config/offcut/config.toml"
cd "$work/project"
export HOME=$work TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
seq 5000 | "$offcut" --tool bash >/dev/null
"$offcut" show last 1-5 >/dev/null

wanted=(offcut.reply offcut.retrieval 0af7651916cd43dd8448eb211c80319c offcut.calls offcut.reply.duration)
for _ in $(seq 100); do
  missing=()
  for word in "${wanted[@]}"; do grep -q "$word" "$work/log" || missing+=("$word"); done
  [ ${#missing[@]} = 0 ] && { echo "1 passed, 0 failed"; exit 0; }
  sleep 0.1
done
echo "the collector did not tell of: ${missing[*]}"
tail -50 "$work/log"
echo "0 passed, 1 failed"
exit 1
