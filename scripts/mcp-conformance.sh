#!/usr/bin/env bash
# What the official MCP conformance suite says about the fixture alone, the fixture behind `offcut wrap`, and `offcut mcp`.
#
#   scripts/mcp-conformance.sh [fixture] [wrap] [ours]      all three without arguments
#
# Needs Node 22 or later and npm; CONFORMANCE_DIR says where the suite is, or is to be installed. The whole output of
# the suite goes to OUT, one file a run. Exits with 1 if a scored scenario fails that should not.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=@modelcontextprotocol/conformance@0.2.0-alpha.12
directory="${CONFORMANCE_DIR:-target/conformance}"
out="${OUT:-target/conformance-results}"
# The scenarios that need nothing which the suite would have to find by name.
needing_no_fixture=(
  2025-11-25:server-initialize 2025-11-25:server-session-lifecycle 2025-11-25:logging-set-level 2025-11-25:ping
  2025-11-25:tools-list 2025-11-25:resources-list 2025-11-25:prompts-list 2025-11-25:server-sse-multiple-streams
  2025-11-25:dns-rebinding-protection
  2026-07-28:tools-list 2026-07-28:resources-list 2026-07-28:prompts-list 2026-07-28:server-sse-multiple-streams
  2026-07-28:dns-rebinding-protection 2026-07-28:http-header-validation 2026-07-28:sep-2164-resource-not-found
  2026-07-28:caching 2026-07-28:input-required-result-unsupported-methods 2026-07-28:server-stateless
)
# Checks of those that ask for tools of the fixture after all.
asking_for_tools='test_missing_capability|test_streaming_elicitation|test_logging_tool|-32021 HTTP status'

pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done' EXIT

if ! command -v npm >/dev/null || ! node -e 'process.exit(process.versions.node.split(".")[0] >= 22 ? 0 : 1)'; then
  echo "skipped: the conformance suite needs npm and Node 22 or later" >&2
  exit 0
fi
entry="$directory/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ ! -f "$entry" ] && ! timeout 240 npm install --silent --fetch-timeout=60000 --prefix "$directory" "$suite"; then
  echo "skipped: the conformance suite could not be installed" >&2
  exit 0
fi
mkdir -p "$out"
# The whole workspace, so that what its tests were built from serves here too.
cargo build --quiet --workspace --bins --examples
fixture=target/debug/examples/conformance
offcut=target/debug/offcut

# start PORT COMMAND…: in the background, until it answers.
start() {
  local port=$1
  shift
  "$@" 2>"$out/server-$port.log" &
  pids+=($!)
  for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  echo "nothing answers at port $port: $*" >&2
  exit 1
}

# run NAME PORT ARGUMENTS…: runs the suite; its scored failures, if any, go to stdout.
run() {
  local name=$1 port=$2
  shift 2
  node "$entry" server --url "http://127.0.0.1:$port/mcp" "$@" -o "$out/$name" >"$out/$name.log" 2>&1 || true
}

# The lines of a requirement set's summary, and how many scored scenarios fail.
summary() {
  sed -n '/=== SUMMARY ===/,$p' "$out/$1.log"
}

scored_failures() {
  local all unscored
  all=$(summary "$1" | grep -c '^✗' || true)
  unscored=$(summary "$1" | grep -c '^  ✗' || true)
  echo $((all - unscored))
}

failed=0
sets() {
  local name=$1 port=$2 set
  for set in 2025-11-25 2026-07-28; do
    run "$name-$set" "$port" --requirements "$set"
    printf '\n== %s, %s: %s; scored scenarios that fail: %s\n' "$name" "$set" \
      "$(summary "$name-$set" | grep '^Total' || echo 'no total')" "$(scored_failures "$name-$set")"
    summary "$name-$set" | grep '^✗' || true
    [ "$(scored_failures "$name-$set")" = 0 ] || failed=1
  done
}

what=("${@:-}")
wants() { [ -z "${what[0]}" ] || printf '%s\n' "${what[@]}" | grep -qx "$1"; }

if wants fixture || wants wrap; then
  start 3921 "$fixture" 127.0.0.1:3921
fi
if wants fixture; then
  sets fixture 3921
fi

if wants wrap; then
  if "$offcut" wrap --help >/dev/null 2>&1; then
    start 3922 "$offcut" wrap --listen 127.0.0.1:3922 --url http://127.0.0.1:3921/mcp
    sets wrap 3922
    for set in 2025-11-25 2026-07-28; do
      [ -f "$out/fixture-$set.log" ] || run "fixture-$set" 3921 --requirements "$set"
      if diff <(summary "fixture-$set") <(summary "wrap-$set") >"$out/wrap-$set.diff"; then
        echo "== wrap, $set: scores exactly what the fixture scores alone"
      else
        echo "== wrap, $set: differs from the fixture alone"
        cat "$out/wrap-$set.diff"
        failed=1
      fi
    done
  else
    echo "skipped: this build has no \`offcut wrap\`" >&2
  fi
fi

if wants ours; then
  root=$(mktemp -d)
  start 3923 "$PWD/$offcut" mcp --root "$root" --listen 127.0.0.1:3923
  printf '\n== offcut mcp, the scenarios that need no fixture\n'
  for one in "${needing_no_fixture[@]}"; do
    version=${one%%:*} scenario=${one#*:}
    name="ours-$version-$scenario"
    run "$name" 3923 --scenario "$scenario" --spec-version "$version"
    checks=$(find "$out/$name" -name checks.json -newer "$entry" | sort | tail -1)
    node -e '
      const checks = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
      const fixture = new RegExp(process.argv[3]);
      const of = status => checks.filter(check => check.status === status);
      const bad = of("FAILURE").filter(check => !fixture.test(check.errorMessage || ""));
      const named = of("FAILURE").length - bad.length;
      console.log(`${bad.length ? "✗" : "✓"} ${process.argv[2]}: ${of("SUCCESS").length} passed, ${bad.length} failed` +
        (named ? `, ${named} need tools of the fixture` : "") + (of("WARNING").length ? `, ${of("WARNING").length} warnings` : ""));
      for (const check of [...bad, ...of("WARNING")]) console.log(`    ${check.status} ${check.id}: ${check.errorMessage}`);
      process.exit(bad.length ? 1 : 0);
    ' "$checks" "$version $scenario" "$asking_for_tools" || failed=1
  done
  rm -rf "$root"
fi
exit $failed
