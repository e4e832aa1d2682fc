// `npx offcut …`: the command that comes with the package.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

import { Offcut, version } from "offcut";

import { LOG, PLANTED, directory } from "./common.mjs";

const require = createRequire(import.meta.url);
const COMMAND = join(require.resolve("offcut/package.json"), "../../.bin/offcut");

function run(words, options = {}) {
  return spawnSync(COMMAND, words, { encoding: "utf8", timeout: 60_000, ...options });
}

test("it has the package's version", () => {
  const told = run(["--version"]);
  assert.deepEqual(told.stdout.split(/\s/).slice(0, 2), ["offcut", version]);
  assert.equal(told.stderr, "");
  const npx = spawnSync("npx", ["--no-install", "offcut", "--version"], { encoding: "utf8", timeout: 60_000 });
  assert.equal(npx.stdout, told.stdout);
});

test("it runs a command, passes its input and keeps its exit code", (t) => {
  const cwd = directory(t);
  const ended = run(["run", "--", "sh", "-c", "echo hello; exit 3"], { cwd });
  assert.deepEqual([ended.status, ended.stdout], [3, "hello\n"]);
  const piped = run(["--limit", "2000", "--store", join(cwd, "kept")], { input: LOG, cwd });
  assert.equal(piped.status, 0, piped.stderr);
  assert.ok(piped.stdout.includes(PLANTED) && piped.stdout.length <= 2001);
});

test("a signal reaches the command, and its end is ours", { timeout: 60_000 }, async (t) => {
  const child = spawn(COMMAND, ["run", "--", "sh", "-c", "echo started; exec sleep 30"], {
    cwd: directory(t),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const begun = Date.now();
  // The output is shown at its end: what is known is that the command runs.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.kill("SIGTERM");
  const [code, signal] = await once(child, "exit");
  assert.ok(signal === "SIGTERM" || code === 143, `${code} ${signal}`);
  assert.ok(Date.now() - begun < 25_000);
});

test("it reads what the library has kept", async (t) => {
  const store = directory(t);
  const reply = await new Offcut({ store, session: "s" }).cut(LOG, { tool: "bash" });
  const shown = run(["artifacts", "show", reply.handle, "5001", "--store", store, "--session", "s"], { cwd: store });
  assert.ok(shown.stdout.startsWith(PLANTED), shown.stderr);
  const counted = run(["stats", "--json", "--store", store], { cwd: store });
  assert.equal(JSON.parse(counted.stdout).total.calls, 1, counted.stderr);
});

test("without the platform's package the command and the library say what to install", (t) => {
  const place = directory(t);
  cpSync(join(require.resolve("offcut/package.json"), "../dist"), place, { recursive: true });
  const node = (...words) => spawnSync(process.execPath, words, { encoding: "utf8", timeout: 60_000, cwd: place });
  const command = node(join(place, "command.cjs"), "--version");
  assert.equal(command.status, 1);
  assert.match(command.stderr, /^error: the command `offcut` is in @offcut\/\S+, which is not installed\nhint: /);
  const library = node("-e", "try { require('./index.cjs') } catch (error) { console.log(error.code, error.message) }");
  assert.match(library.stdout, /^no_native_module the native module of this platform cannot be loaded: install @offcut\//);
});
