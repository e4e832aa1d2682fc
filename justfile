# The recipes of this project; `just` lists them.

_default:
    @just --list

# All tests that need nothing but Rust.
test:
    cargo test --workspace

# What a change must pass.
ci:
    .ci/run

# The laws over a hundred thousand random cases.
laws cases="100000":
    LAW_CASES={{cases}} cargo test -p offcut-lib laws

# Speed and memory of the whole line beside `tee` and `cat`, in one run.
bench-line:
    scripts/bench-line.sh

# Has it become slower than a commit? Instructions of a dozen typical calls; fails above 3 % (valgrind).
bench-gate before="":
    scripts/bench-gate.py {{before}}

# Takes the grammars of code again from the crates that publish them, in the versions that the script names.
grammars:
    scripts/grammars.py

# Do the servers grow? Memory and processor time over many calls to one process.
soak calls="100000":
    cargo build --release -p offcut
    scripts/soak.py target/release/offcut {{calls}}

# Is anything given out that was not kept, after the power was cut? Simulated, on copies of the store (strace).
power-cut rounds="50":
    cargo build -p offcut
    scripts/power-cut.py target/debug/offcut {{rounds}}

# Speed of the parts.
bench:
    cargo bench --workspace

# A minute of fuzzing for each target.
fuzz seconds="60":
    for target in $(ls fuzz/fuzz_targets | sed 's/\.rs$//'); do cargo +nightly fuzz run $target -- -max_total_time={{seconds}} || exit 1; done

# Dependencies: unused ones, licences, sources, advisories.
dependencies:
    scripts/check-dependencies.sh

# The Python package: wheel, tests, types, lints.
python *arguments:
    scripts/test-python.sh {{arguments}}

# A call from Python beside the same call from Rust, and threads.
python-bench:
    cargo build -p offcut-binding --example cut
    target/python/venv/bin/python crates/python/bench.py --rust target/debug/examples/cut

# The npm package: tarballs, tests, types, lints.
node *arguments:
    scripts/test-node.sh {{arguments}}

# A call from Node beside the same call from Rust, and calls at once.
node-bench:
    cargo build -p offcut-binding --example cut
    cp crates/node/bench.mjs target/node/app && node target/node/app/bench.mjs target/debug/examples/cut

# Does extraction let a real small model invent? Fetches it (350 MB), and asks it about logs.
small-model logs answers="100":
    cargo build --release -p offcut
    scripts/small-model.sh run e2e/small_model.py --offcut target/release/offcut --logs {{logs}} --answers {{answers}}

# The example with rig, run by the scripted model.
rig:
    scripts/test-rig.sh

# Does it type-check for Windows? Fetches a compiler and its standard library's sources (Debian); nothing is run.
check-windows *packages:
    scripts/check-windows.sh {{packages}}

# Would every crate be published? Packs them all, without building what was packed.
publish-check:
    cargo publish --workspace --dry-run --no-verify

# Everything that a release consists of, into target/dist; `DIST_PROFILE=dev just dist` tries the steps quickly.
dist:
    scripts/dist.sh

# Do two builds reply alike over corpora? `just compare OLD NEW DIR…`
compare old new +corpora:
    scripts/compare-replies.py {{old}} {{new}} {{corpora}}

# The dashboard in a real browser (Debian's chromium, `pip install websocket-client`); photographs every page.
ui-browser shots="target/ui":
    cargo build --release -p offcut
    python3 e2e/ui.py --shots {{shots}}

# The metrics, by promtool and a real Prometheus (Debian's prometheus).
metrics:
    cargo build --release -p offcut
    bash e2e/metrics.sh target/release/offcut
