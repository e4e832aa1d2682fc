// Conversations whose old results are shortened.

import assert from "node:assert/strict";
import test from "node:test";

import { Offcut } from "offcut";

import { LOG, PLANTED } from "./common.mjs";

const go = { role: "user", content: "go" };

const shapes = {
  anthropic: (texts) => [
    go,
    ...texts.flatMap((content, n) => [
      { role: "assistant", content: [{ type: "tool_use", id: `t${n}`, name: "bash", input: { command: `step ${n}` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${n}`, content }] },
    ]),
  ],
  chat: (texts) => [
    go,
    ...texts.flatMap((content, n) => [
      { role: "assistant", content: null, tool_calls: [{ id: `t${n}`, type: "function", function: { name: "bash", arguments: "{}" } }] },
      { role: "tool", tool_call_id: `t${n}`, content },
    ]),
  ],
  responses: (texts) => [
    go,
    ...texts.flatMap((output, n) => [
      { type: "function_call", call_id: `t${n}`, name: "bash", arguments: "{}" },
      { type: "function_call_output", call_id: `t${n}`, output },
    ]),
  ],
};

const results = (messages) =>
  messages.flatMap((message) =>
    message.role === "tool" ? [message.content]
    : "output" in message ? [message.output]
    : message.content?.[0]?.type === "tool_result" ? [message.content[0].content]
    : [],
  );

for (const [name, make] of Object.entries(shapes)) {
  test(`old results are shortened and can be read back: ${name}`, async () => {
    const texts = [0, 1, 2, 3].map((n) => `first of ${n}\n${`line of ${n}\n`.repeat(300)}`);
    const messages = make(texts);
    const before = structuredClone(messages);
    const oc = new Offcut();
    const { messages: shortened, report } = await oc.retain(messages);
    assert.deepEqual(messages, before);
    const shown = results(shortened);
    assert.deepEqual(shown.slice(2), texts.slice(2));
    assert.ok(shown.slice(0, 2).every((text) => text.length < 300 && text.includes("get_artifact(id=")));
    const [, id] = /get_artifact\(id="(\w+)"/.exec(shown[0]);
    assert.equal(await oc.show(id), texts[0]);
    assert.ok((await oc.getArtifact({ id })).startsWith("first of 0\n"));
    assert.ok((await oc.getTaskTrace({ traceId: id })).startsWith("first of 0\n"));
    assert.match(await oc.getTaskTrace({ traceId: "none" }), /^error: no trace `none`/);
    assert.ok(report.tokens_after < report.tokens_before);
    // What did not change is the caller's own.
    assert.equal(shortened[0], messages[0]);
    assert.equal(shortened.at(-1), messages.at(-1));
    assert.deepEqual(oc.retainSync(messages).messages, shortened);
  });
}

test("new results over the limit are cut", async () => {
  const { messages } = await new Offcut().retain(shapes.chat([LOG]), { cut: true });
  const [shown] = results(messages);
  assert.ok(shown.length <= 8000 && shown.includes(PLANTED));
});

test("nothing to do returns the same list, and tools can be protected", async () => {
  const short = shapes.chat(["short"]);
  assert.equal((await new Offcut().retain(short)).messages, short);
  const long = shapes.chat(Array(4).fill("line\n".repeat(300)));
  assert.equal((await new Offcut().retain(long, { protect: ["bash"] })).messages, long);
});

test("a request's body keeps its shape, and a class stays what it is", async () => {
  class Marker {
    toJSON() {
      return "marked";
    }
  }
  const body = {
    model: "claude",
    metadata: new Marker(),
    tools: [{ name: "bash" }, { name: "get_artifact" }],
    messages: shapes.anthropic(Array(4).fill("line\n".repeat(300))),
  };
  const { messages: changed } = await new Offcut().retain(body);
  assert.deepEqual(Object.keys(changed), Object.keys(body));
  assert.ok(changed.metadata === body.metadata && changed.model === "claude");
  assert.notEqual(results(changed.messages)[0], "line\n".repeat(300));
});

test("what is no conversation is refused", async () => {
  await assert.rejects(new Offcut().retain({ nothing: 1 }), { code: "bad_conversation" });
  await assert.rejects(new Offcut().retain("a text"), TypeError);
  await assert.rejects(new Offcut().retain([], { mode: "never" }), /expected `window`, `pays` or `off`/);
});
