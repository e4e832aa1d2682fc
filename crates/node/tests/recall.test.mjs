// Reading back, asking, and what a session sees.

import assert from "node:assert/strict";
import test from "node:test";

import { Offcut } from "offcut";

import { LINES, LOG, PLANTED, directory } from "./common.mjs";

async function kept() {
  const oc = new Offcut();
  return { oc, reply: await oc.cut(LOG, { tool: "bash", args: "make all" }) };
}

test("lines, bytes and the end are shown", async () => {
  const { oc, reply } = await kept();
  assert.equal(await oc.show(reply.handle, [12, 14]), LINES.slice(11, 14).join(""));
  assert.equal(oc.showSync(reply.handle, "12-14"), LINES.slice(11, 14).join(""));
  assert.equal(await oc.show(reply, 5001), `${PLANTED}\n`);
  assert.equal(await oc.show(reply, "b0-8"), LOG.slice(0, 8));
  assert.equal(await oc.show(reply, undefined, { tail: 2 }), LINES.slice(-2).join(""));
  assert.equal(await oc.show("last"), LOG);
  await assert.rejects(oc.show(reply, 1, { tail: 1 }), { code: "bad_argument", message: /cannot be used together/ });
  await assert.rejects(oc.show(reply, undefined, { tail: -1 }), { name: "OffcutError", code: "bad_argument" });
});

test("lines that match are found", async () => {
  const { oc, reply } = await kept();
  assert.equal(await oc.grep(reply, "DISK", { ignoreCase: true }), `5001: ${PLANTED}\n`);
  assert.equal(oc.grepSync(reply, /DISK/i), `5001: ${PLANTED}\n`);
  assert.equal((await oc.grep(reply, "disk", { context: 1 })).split("\n").length, 4);
  assert.equal((await oc.grep(reply, "worker", { maxMatches: 3, lines: "10-20" })).split("\n").length, 4);
  assert.equal(await oc.grep(reply, "nothing like it"), "");
  await assert.rejects(oc.grep(reply, "("), { code: "bad_pattern" });
});

test("JSON is queried", async () => {
  const oc = new Offcut();
  const users = Array.from({ length: 9000 }, (_, id) => ({ id, name: `user${id}`, ok: id !== 4321 }));
  const reply = await oc.cut(JSON.stringify({ users }));
  assert.deepEqual(await oc.query(reply, "$.users[?@.ok == false].name"), ["user4321"]);
  assert.deepEqual(await oc.query(reply, "$.users[*].id", { offset: 8998 }), [8998, 8999]);
  await assert.rejects(oc.query(reply, "$["), { code: "bad_query" });
});

test("all outputs of a session are searched", async () => {
  const { oc, reply } = await kept();
  await oc.cut("nothing of note\n".repeat(2000), { tool: "other" });
  const [best] = await oc.search("disk full", { limit: 3 });
  assert.deepEqual([best.artifactId, best.tool, best.args], [reply.report.artifact_id, "bash", "make all"]);
  assert.ok(best.firstLine <= 5001 && 5001 <= best.lastLine && best.text.includes(PLANTED));
  await assert.rejects(oc.search(" "), /empty/);
});

test("a question is answered without a model", async () => {
  const { oc, reply } = await kept();
  const answer = await oc.extract(reply, "which disk is full?");
  assert.ok(String(answer).includes("/dev/sda7") && !answer.failed);
  assert.equal(answer.account.mode, "search");
  await assert.rejects(oc.extract(reply, "which?", { mode: "guess" }), { code: "bad_argument", message: /full-chunked/ });
});

test("a question is answered by a function that asks a model", async () => {
  const { oc, reply } = await kept();
  const asked = [];
  const model = async (system, user, maxTokens) => {
    asked.push({ user, maxTokens });
    await new Promise((resolve) => setTimeout(resolve, 5));
    // A report is taken only from the wrapper that the prompt names.
    const [, opening, closing] = /once:\s+(<.+?>) \.\.\. (<\/.+?>)/.exec(system + user);
    return `${opening}The disk /dev/sda7 is full.${closing}`;
  };
  const answer = await oc.extract(reply, "which disk is full?", { mode: "full-chunked", model });
  assert.ok(!answer.failed && asked.some(({ user }) => user.includes(PLANTED)));
  assert.ok(asked.every(({ maxTokens }) => maxTokens > 0));
  assert.equal(answer.account.mode, "full-chunked");
  assert.match(String(answer), /The disk \/dev\/sda7 is full\./);
});

test("a model that throws does not fail the call", async () => {
  const { oc, reply } = await kept();
  const model = () => {
    throw new Error("no credit left");
  };
  const answer = await oc.extract(reply, "which disk is full?", { mode: "full-chunked", model });
  assert.ok(String(answer).includes("no credit left") || answer.account.fallbacks);
});

test("the model's tool gives pages and sentences", async () => {
  const { oc, reply } = await kept();
  const id = reply.handle;
  assert.ok((await oc.getArtifact({ id, lines: "5001-5001" })).startsWith(PLANTED));
  assert.ok((await oc.getArtifact({ id })).includes(`Next: get_artifact(id="${id}", lines="`));
  assert.ok((await oc.getArtifact({ id, pattern: "disk" })).includes(PLANTED));
  for (const wrong of [{ id: "zzzz" }, { id, lines: "1-2", query: "$" }, {}, { id, page: 3 }]) {
    assert.match(await oc.getArtifact(wrong), /^error: /);
  }
});

test("sessions do not see each other and outlive their object", async (t) => {
  const store = directory(t);
  const reply = await new Offcut({ store, session: "one" }).cut(LOG);
  const again = new Offcut({ store, session: "one" });
  assert.equal(again.session, "one");
  assert.equal(await again.show(reply.handle), LOG);
  await assert.rejects(new Offcut({ store, session: "two" }).show(reply.report.artifact_id), { code: "foreign" });
});

test("a session can end with its outputs", async (t) => {
  const store = directory(t);
  const oc = new Offcut({ store, options: { artifacts: { cleanup_on_exit: true } } });
  const reply = await oc.cut(LOG, { tool: "bash", args: "make all" });
  const [info] = await oc.artifacts();
  assert.equal(info.id, reply.report.artifact_id);
  assert.deepEqual(info.source, { tool: "bash", arguments: "make all" });
  await oc.close();
  assert.deepEqual(await new Offcut({ store }).artifacts(), []);
});
