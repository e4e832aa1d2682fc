#!/usr/bin/env bash
# /metrics as Prometheus reads it: checked by promtool, and scraped by a real Prometheus (Debian's package `prometheus`).
#
#   bash e2e/metrics.sh [path of offcut]
set -euo pipefail
offcut=$(realpath "${1:-target/release/offcut}")
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
mkdir -p "$work/project/.git"
cd "$work/project"
export HOME=$work
for count in 5000 20000 10; do seq "$count" | "$offcut" --tool bash >/dev/null; done
"$offcut" artifacts show last --lines 1-5 >/dev/null

"$offcut" ui --listen 127.0.0.1:0 --no-open 2>"$work/listening" &
for _ in $(seq 100); do grep -q listening "$work/listening" && break; sleep 0.1; done
at=$(sed -n 's|^listening at http://||p' "$work/listening")
curl -sf "http://$at/healthz" && curl -sf "http://$at/readyz"
curl -sf "http://$at/metrics" | promtool check metrics

cat >"$work/prometheus.yml" <<EOF
global: { scrape_interval: 1s }
scrape_configs: [{ job_name: offcut, static_configs: [{ targets: ["$at"] }] }]
EOF
web=127.0.0.1:${PROMETHEUS_PORT:-39299}
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address="$web" 2>/dev/null &
for _ in $(seq 60); do
  found=$(curl -s "http://$web/api/v1/query?query=offcut_calls_total" || true)
  case "$found" in *'"tool":"bash"'*'"3"'*) echo "1 passed, 0 failed"; exit 0 ;; esac
  sleep 0.5
done
echo "Prometheus did not see the calls: $found"
echo "0 passed, 1 failed"
exit 1
