#!/usr/bin/env bash
# Compares offcut's redaction with other secret scanners: recall on test cases that are nobody's own, false hits on
# benign text, and speed, in one run.
#
#   scripts/compare-scanners.sh CASES.jsonl BENIGN_FOLDER [WORK_FOLDER]
#
# $OFFCUT is the binary to compare; without it, the release build is made and used. A WORK_FOLDER that is there already
# keeps the scanners from one run to the next.
#
# CASES.jsonl has one case a line: {"text": …, "secrets": [ … ], "twin": …}. A case counts as found if the scanner
# reports anything in its text; a twin (the same form without a secret) counts as a false hit if it reports anything
# there. BENIGN_FOLDER is any tree of text without secrets.
# Scanners come from the package registries, as far as those have them: kingfisher (PyPI: kingfisher-bin),
# CredSweeper (PyPI), detect-secrets (PyPI), ripsecrets (crates.io), gitleaks and trufflehog (where they are on the
# PATH). What cannot be installed is left out, and the table says so.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,17p' "$0"; exit 2; }
cases=$(realpath "$1") benign=$(realpath "$2")
work=${3:-$(mktemp -d)}
mkdir -p "$work/cases" "$work/twins"
root=$(cd "$(dirname "$0")/.." && pwd)
offcut=${OFFCUT:-$root/target/release/offcut}

# One file a case, so that what a scanner reports can be counted by file.
python3 - "$cases" "$work" <<'PY'
import json, sys
for number, line in enumerate(open(sys.argv[1])):
    case = json.loads(line)
    open(f"{sys.argv[2]}/cases/{number:05}.txt", "w").write(case["text"])
    if case.get("twin"):
        open(f"{sys.argv[2]}/twins/{number:05}.txt", "w").write(case["twin"])
PY
total=$(find "$work/cases" -type f | wc -l)
twins=$(find "$work/twins" -type f | wc -l)
megabytes=$(du -sm --apparent-size "$benign" | cut -f1)

[ -x "$work/venv/bin/pip" ] || python3 -m venv "$work/venv" >/dev/null
pip=("$work/venv/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" kingfisher-bin >/dev/null 2>&1 || echo "kingfisher: could not be installed" >&2
"${pip[@]}" credsweeper >/dev/null 2>&1 || echo "CredSweeper: could not be installed" >&2
"${pip[@]}" detect-secrets >/dev/null 2>&1 || echo "detect-secrets: could not be installed" >&2
command -v ripsecrets >/dev/null || cargo install --quiet --root "$work" ripsecrets >/dev/null 2>&1 || true
[ -x "$work/bin/ripsecrets" ] && PATH="$work/bin:$PATH"

# Each function prints the files in which its scanner finds something, one a line.
offcut_files() {
    find "$1" -type f | while read -r file; do
        "$offcut" redact --mode report --report "$work/count.json" --quiet <"$file" >/dev/null
        grep -q '"total": 0' "$work/count.json" || echo "$file"
    done
}
kingfisher_files() {
    "$work/venv/bin/kingfisher" scan "$1" --no-validate --format json --quiet 2>/dev/null |
        grep -o '"path": *"[^"]*"' | cut -d'"' -f4 || true
}
credsweeper_files() {
    "$work/venv/bin/credsweeper" --path "$1" --save-json "$work/cred.json" >/dev/null 2>&1 || true
    [ -s "$work/cred.json" ] && grep -o '"path": *"[^"]*"' "$work/cred.json" | cut -d'"' -f4 || true
}
detect_secrets_files() {
    (cd "$1" && "$work/venv/bin/detect-secrets" scan --all-files . 2>/dev/null) |
        python3 -c 'import json,sys; print("\n".join(json.load(sys.stdin)["results"]))' || true
}
ripsecrets_files() { ripsecrets "$1" 2>/dev/null | cut -d: -f1 || true; }
gitleaks_files() {
    gitleaks detect --no-git --source "$1" --report-format json --report-path "$work/gitleaks.json" >/dev/null 2>&1 || true
    grep -o '"File": *"[^"]*"' "$work/gitleaks.json" | cut -d'"' -f4 || true
}
trufflehog_files() {
    trufflehog filesystem "$1" --no-verification --json 2>/dev/null | grep -o '"file":"[^"]*"' | cut -d'"' -f4 || true
}

[ -x "$offcut" ] || (cd "$root" && cargo build --release --quiet -p offcut)
printf '%-16s %12s %12s %14s %10s\n' scanner found "twins hit" "benign hits" "MB/s"
row() {
    local name=$1 files=$2
    local found hit benign_hits started seconds
    found=$("$files" "$work/cases" | sort -u | grep -c . || true)
    hit=$("$files" "$work/twins" | sort -u | grep -c . || true)
    started=$(date +%s.%N)
    benign_hits=$("$files" "$benign" | grep -c . || true)
    seconds=$(echo "$(date +%s.%N) - $started" | bc)
    printf '%-16s %7s/%-5s %6s/%-5s %14s %10s\n' "$name" "$found" "$total" "$hit" "$twins" "$benign_hits" \
        "$(echo "scale=1; $megabytes / $seconds" | bc)"
}
row offcut offcut_files
[ -x "$work/venv/bin/kingfisher" ] && row kingfisher kingfisher_files
[ -x "$work/venv/bin/credsweeper" ] && row CredSweeper credsweeper_files
[ -x "$work/venv/bin/detect-secrets" ] && row detect-secrets detect_secrets_files
command -v ripsecrets >/dev/null && row ripsecrets ripsecrets_files
command -v gitleaks >/dev/null && row gitleaks gitleaks_files
command -v trufflehog >/dev/null && row trufflehog trufflehog_files
true
