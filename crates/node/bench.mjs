// What a call from Node costs beside the same call from Rust, and how calls at once scale.
//
//     cargo build -p offcut-binding --example cut
//     cp crates/node/bench.mjs target/node/app && node target/node/app/bench.mjs target/debug/examples/cut
//
// Both must be built with one profile: `scripts/test-node.sh` installs the package with that of developers. Without a
// program only Node is measured. Times are medians; look at the ratios.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Offcut } from "offcut";

/** A log of about `size` characters with an error in its middle. */
function output(size) {
  const second = (n) => String(n % 60).padStart(2, "0");
  const line = (n) => `2026-11-17T12:00:${second(n)}Z INFO request ${n} served in ${(n * 7919) % 900} ms by worker ${n % 13}\n`;
  const lines = Array.from({ length: Math.floor(size / 66) }, (_, n) => line(n));
  lines[Math.floor(lines.length / 2)] = "2026-11-17T12:00:00Z ERROR disk /dev/sda7 is full\n";
  return lines.join("");
}

/** The median time of a call in milliseconds; the first one warms up. */
async function median(call, rounds) {
  const times = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    await call();
    times.push(performance.now() - started);
  }
  return times.slice(1).sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

/** The median time of the same call from Rust in milliseconds. */
function rust(program, text, rounds) {
  const place = mkdtempSync(join(tmpdir(), "offcut-bench-"));
  try {
    const path = join(place, "output");
    writeFileSync(path, text);
    return Number(execFileSync(program, [path, String(rounds)], { encoding: "utf8" }));
  } finally {
    rmSync(place, { recursive: true });
  }
}

const program = process.argv[2];
for (const [name, size, rounds] of [["100 KB", 100_000, 60], ["10 MB", 10_000_000, 9]]) {
  const text = output(size);
  const bytes = Buffer.from(text);
  const beside = program ? rust(program, text, rounds) : undefined;
  const oc = new Offcut();
  const calls = {
    "string, at once": () => oc.cutSync(text, { tool: "bash" }),
    "string, in the pool": () => oc.cut(text, { tool: "bash" }),
    "bytes, in the pool": () => oc.cut(bytes, { tool: "bash" }),
  };
  for (const [kind, call] of Object.entries(calls)) {
    const took = await median(call, rounds);
    const ratio = beside ? `, Rust ${beside.toFixed(2)} ms, ratio ${(took / beside).toFixed(2)}` : "";
    console.log(`${name} ${kind}: Node ${took.toFixed(2)} ms${ratio}`);
  }
}

const text = output(100_000);
const oc = new Offcut();
const started = performance.now();
for (let n = 0; n < 200; n += 1) {
  await oc.cut(text, { tool: "bash" });
}
const one = performance.now() - started;
await Promise.all(Array.from({ length: 200 }, () => oc.cut(text, { tool: "bash" })));
const all = performance.now() - started - one;
console.log(`200 calls of 100 KB: one by one ${one.toFixed(0)} ms, at once ${all.toFixed(0)} ms, ${(one / all).toFixed(2)} times as fast`);
