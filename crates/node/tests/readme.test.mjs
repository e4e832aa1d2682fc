// The README's examples run, in order, and what their comments promise is what comes out.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { PROJECT, directory } from "./common.mjs";

const README = readFileSync(join(PROJECT, "crates/node/README.md"), "utf8");

// An expression, and behind it a comment that is a value.
const PROMISE = /^(\S.*?);\s{2,}\/\/ (["[{\d].*)$/gm;

test("every example runs", (t) => {
  const blocks = [...README.matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
  assert.ok(blocks.length >= 7, String(blocks.length));
  const whole = blocks.join("\n");
  assert.equal([...whole.matchAll(PROMISE)].length, 3);
  const checked = whole
    .replace(PROMISE, (_, expression, value) => `assert.deepEqual(${expression}, ${value});`)
    .replaceAll("console.assert(", "assert.ok(");
  // Beside the tests, so that the installed package is meant.
  const script = fileURLToPath(new URL("readme-examples.mjs", import.meta.url));
  t.after(() => rmSync(script, { force: true }));
  writeFileSync(script, `import assert from "node:assert/strict";\n${checked}`);
  const told = execFileSync(process.execPath, [script], { cwd: directory(t), encoding: "utf8", timeout: 60_000 });
  assert.match(told, /^\w{4}\n$/);
});

test("every adapter that it names is there", () => {
  const named = new Set([...README.matchAll(/`offcut\/(\w+)`/g)].map(([, name]) => name));
  const { exports } = JSON.parse(readFileSync(join(PROJECT, "crates/node/package.json"), "utf8"));
  const offered = Object.keys(exports).flatMap((name) => /^\.\/(\w+)$/.exec(name)?.[1] ?? []);
  const modules = readdirSync(join(PROJECT, "crates/node/ts")).filter((name) => name.endsWith(".mts"));
  const adapters = modules.map((name) => name.replace(".mts", "")).filter((name) => !["adapter", "index"].includes(name));
  assert.deepEqual([[...named].sort(), offered.sort()], [adapters.sort(), adapters]);
});
