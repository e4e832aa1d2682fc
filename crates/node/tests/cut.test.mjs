// Cutting: what goes in, what comes out, what is refused.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { Offcut, OffcutError, cut, cutSync, show } from "offcut";

import { LOG, PLANTED, directory } from "./common.mjs";

test("a long output is cut to the limit and kept whole", async () => {
  const reply = await cut(LOG, { tool: "bash", args: { command: "make" } });
  assert.ok(String(reply).length <= 8000 && reply.text.includes(PLANTED) && reply.wasTruncated);
  assert.equal(reply.report.original_lines, 10_001);
  assert.ok(reply.kept.some(([first, last]) => first <= 5001 && 5001 <= last));
  assert.equal(await show(reply), LOG);
  assert.equal(await show(reply.handle, "5001"), `${PLANTED}\n`);
  assert.deepEqual(JSON.parse(JSON.stringify(reply)), { text: reply.text, report: reply.report });
});

test("what fits is returned as it came", async () => {
  const reply = await cut("all is well\n");
  assert.deepEqual([String(reply), reply.wasTruncated, reply.handle], ["all is well\n", false, undefined]);
  assert.deepEqual(reply.kept, [[1, 1]]);
  assert.equal(cutSync("").text, "");
});

test("text, bytes, files and streams give the same reply, at once and later", async (t) => {
  const file = join(directory(t), "out.log");
  writeFileSync(file, LOG);
  const oc = new Offcut();
  const bytes = Buffer.from(LOG);
  // A view into a larger buffer, as network libraries hand out.
  const view = new Uint8Array(Buffer.concat([Buffer.from("xx"), bytes])).subarray(2);
  const there = [LOG, bytes, view, { file }, pathToFileURL(file)];
  const coming = [Readable.from([LOG.slice(0, 77), LOG.slice(77)]), new Blob([LOG]).stream()];
  const replies = [
    ...there.map((output) => oc.cutSync(output, { limit: 4000 })),
    ...(await Promise.all([...there, ...coming].map((output) => oc.cut(output, { limit: 4000 })))),
  ];
  for (const reply of replies) {
    assert.deepEqual(reply.kept, replies[0].kept);
    assert.ok(reply.text.length <= 4000 && reply.text.includes(PLANTED));
  }
});

test("a string is text and never a path", async (t) => {
  const file = join(directory(t), "out.log");
  writeFileSync(file, "content");
  assert.equal(cutSync(file).text, file);
  assert.equal(cutSync({ file }).text, "content");
});

test("limits have units", async () => {
  const oc = new Offcut();
  assert.ok(Buffer.byteLength(oc.cutSync(LOG, { limit: "2KB" }).text) <= 2048);
  assert.ok(oc.cutSync(LOG, { limit: "300 tokens" }).report.truncated_tokens <= 300);
  assert.ok(oc.cutSync(LOG, { limit: "20 lines" }).text.trimEnd().split("\n").length <= 20);
  assert.ok(new Offcut({ limit: 1500 }).cutSync(LOG).text.length <= 1500);
});

test("text that is not clean is cleaned", () => {
  for (const text of ["ok \ud800 half a pair\n", "caf\u00e9 \u{1f600}\n", "nul \x00 and \x1b[31mred\x1b[0m\n"]) {
    const shown = cutSync(text).text;
    assert.ok(shown.isWellFormed() && !shown.includes("\x00") && !shown.includes("\x1b") && shown.endsWith("\n"));
  }
  assert.equal(cutSync("caf\u00e9 \u{1f600}\n").text, "caf\u00e9 \u{1f600}\n");
});

test("a secret reaches neither the reply nor the store", async (t) => {
  const store = directory(t);
  const oc = new Offcut({ store });
  const key = "AKIA" + "Q7WERTZ4UIOPAS3D";
  const reply = await oc.cut(`aws_access_key_id = ${key}\n${"x\n".repeat(9000)}`);
  assert.ok(!reply.text.includes(key) && Object.keys(reply.report.redactions).length > 0);
  assert.ok(!(await oc.show(reply)).includes(key));
  const files = readdirSync(store, { recursive: true }).map((name) => join(store, name));
  const kept = files.filter((path) => statSync(path).isFile());
  assert.ok(kept.length > 0 && kept.every((path) => !readFileSync(path).includes(key)));
});

test("a header says how the call ended", () => {
  const oc = new Offcut();
  const header = (options) => oc.cutSync(LOG, { tool: "bash", ...options }).text.split("\n")[0];
  assert.match(header({ exitCode: 2 }), /exit 2/);
  assert.doesNotMatch(header({ exitCode: 0 }), /exit/);
  assert.match(header({ failed: true }), /the call failed/);
});

test("a kind can be given, and profiles change the wording", async () => {
  assert.equal(cutSync(LOG, { kind: "log" }).report.kind, "log");
  for (const profile of ["auto", "balanced", "paged", "handle", "bookends"]) {
    const reply = new Offcut({ profile }).cutSync(LOG);
    assert.ok(reply.wasTruncated && reply.report.artifact_id, profile);
  }
  assert.match(new Offcut({ profile: "handle" }).cutSync(LOG).text, /tool_output\(handle/);
});

const refused = {
  "a profile": [() => new Offcut({ profile: "fast" }), "bad_option", ["profile", "fast", "auto"]],
  "an option": [() => new Offcut({ options: { inline_limt: 3 } }), "bad_option", ["inline_limt", "inline_limit"]],
  "a session": [() => new Offcut({ session: "a/b" }), "invalid_id", ["a/b", "1 to 64"]],
  "a store": [() => new Offcut({ store: "" }), "bad_argument", ["store", "memory"]],
  "a limit": [() => cutSync("x", { limit: "many" }), "bad_argument", ["limit", "many", "tokens"]],
  "a kind": [() => cut("x", { kind: "poem" }), "bad_argument", ["kind", "poem"]],
  "a strategy": [() => cut("x", { strategy: "best" }), "bad_option", ["strategy", "best", "head_tail"]],
  "a stream's kind": [() => new Offcut().stream({ kind: "poem" }), "bad_argument", ["kind", "poem"]],
  "a file": [() => cut({ file: "/no/such/file" }), "unreadable", ["/no/such/file"]],
  "a handle": [() => show("art_1699234567890_a1b2c3d4e5f60718"), undefined, ["art_1699234567890_a1b2c3d4e5f60718"]],
  "a reply without a handle": [() => show(cutSync("short")), "not_kept", ["whole output"]],
};
for (const [what, [make, code, words]] of Object.entries(refused)) {
  test(`what is refused says what is wrong and what would be right: ${what}`, async () => {
    await assert.rejects(
      async () => make(),
      (error) => {
        assert.ok(error instanceof OffcutError, error.stack);
        assert.ok(words.every((word) => error.message.includes(word)) && !error.message.includes(" at line "), error.message);
        assert.ok(code === undefined ? error.code : error.code === code, error.code);
        return true;
      },
    );
  });
}

test("what is no output is a type error", async () => {
  await assert.rejects(cut(3), { name: "TypeError", message: /an output is text, bytes, a file/ });
  assert.throws(() => cutSync(null), { name: "TypeError" });
});

test("without a store the report says that nothing was kept", () => {
  const reply = new Offcut({ store: "none" }).cutSync(LOG);
  assert.equal(reply.handle, undefined);
  assert.ok(reply.report.degraded.some((why) => why.includes("not kept")));
});

test("the event loop stays free while an output is cut", async () => {
  let [ticks, done] = [0, false];
  const oc = new Offcut();
  const cutting = oc.cut(Buffer.from(LOG.repeat(40))).finally(() => (done = true));
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    ticks += 1;
  }
  assert.ok((await cutting).wasTruncated);
  assert.ok(ticks >= 5, String(ticks));
});

test("many calls at once share one object", async () => {
  const oc = new Offcut();
  const replies = await Promise.all(Array.from({ length: 32 }, (_, n) => oc.cut(`${n}\n${LOG}`, { limit: 4000 })));
  assert.equal(new Set(replies.map((reply) => reply.handle)).size, 32);
  assert.deepEqual(
    await Promise.all(replies.map((reply) => oc.show(reply, 1))),
    replies.map((_, n) => `${n}\n`),
  );
});

test("large bytes are read where Node keeps them", (t) => {
  const script = `
    const { Offcut } = require("offcut");
    const most = () => process.resourceUsage().maxRSS >> 10;
    const oc = new Offcut({ store: ${JSON.stringify(directory(t))} });
    oc.cutSync("a line of a first output\\n".repeat(200_000));
    const line = "2026-11-17T12:00:00Z INFO a request was served\\n";
    const output = Buffer.alloc(line.length * 2_000_000, line);
    const before = most();
    oc.cut(output).then((reply) => console.log(JSON.stringify([output.length >> 20, most() - before, reply.wasTruncated])));`;
  const told = execFileSync(process.execPath, ["-e", script], { encoding: "utf8", timeout: 120_000, cwd: import.meta.dirname });
  const [size, more, cut] = JSON.parse(told);
  assert.ok(size >= 85 && cut);
  // A copy would take as much again.
  assert.ok(more <= 60, told);
});

test("worker threads have their own", async () => {
  const script = `
    const { Offcut } = require("offcut");
    const { parentPort, workerData } = require("node:worker_threads");
    const oc = new Offcut({ strategies: { first: () => [1] } });
    oc.cut(workerData, { strategy: "first" }).then((reply) => parentPort.postMessage(reply.kept));`;
  const workers = [1, 2].map(() => new Worker(script, { eval: true, workerData: LOG }));
  const kept = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0]));
  assert.deepEqual(kept, [[[1, 1]], [[1, 1]]]);
  await Promise.all(workers.map((worker) => worker.terminate()));
  assert.ok((await cut(LOG)).wasTruncated);
});
