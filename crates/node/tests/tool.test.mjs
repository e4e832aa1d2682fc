// Functions whose text is cut.

import assert from "node:assert/strict";
import test from "node:test";

import { Offcut, tool } from "offcut";

import { LOG, PLANTED } from "./common.mjs";

test("what a function returns is cut", async () => {
  const oc = new Offcut();
  const run = oc.tool(function run(command, times = 1) {
    return LOG.repeat(times);
  });
  const shown = run("make", 1);
  assert.ok(typeof shown === "string" && shown.length <= 8000 && shown.includes(PLANTED));
  assert.deepEqual([run.name, run.length], ["run", 1]);
  const [info] = await oc.artifacts();
  assert.deepEqual(info.source, { tool: "run", arguments: '["make",1]' });
});

test("it takes a name and a limit, and bytes", async () => {
  const oc = new Offcut();
  const run = oc.tool(() => Buffer.from(LOG), { name: "shell", limit: 2000 });
  assert.ok(run().length <= 2000);
  assert.equal((await oc.artifacts())[0].source.tool, "shell");
});

test("a function that returns a promise goes on to", async () => {
  const oc = new Offcut();
  const fetchPage = oc.tool(async ({ url }) => `${url}\n${LOG}`, { name: "fetch", limit: 3000 });
  const coming = fetchPage({ url: "http://127.0.0.1/" });
  assert.ok(coming instanceof Promise);
  const shown = await coming;
  assert.ok(shown.length <= 3000 && shown.includes(PLANTED));
  assert.deepEqual((await oc.artifacts())[0].source, { tool: "fetch", arguments: '{"url":"http://127.0.0.1/"}' });
});

test("other values and exceptions pass, and so does `this`", async () => {
  const compute = tool((fail) => {
    if (fail) {
      throw new RangeError("as ever");
    }
    return { answer: 42 };
  });
  assert.deepEqual(compute(false), { answer: 42 });
  assert.throws(() => compute(true), RangeError);
  await assert.rejects(tool(async () => Promise.reject(new RangeError("later")))(), RangeError);
  const box = { log: LOG, run: tool(function () { return this.log; }) };
  assert.ok(box.run().includes(PLANTED));
  const circular = {};
  circular.self = circular;
  assert.ok(tool(() => LOG)(circular).includes(PLANTED));
});
