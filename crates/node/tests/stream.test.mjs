// Outputs that come in chunks.

import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import test from "node:test";

import { CutStream, Offcut } from "offcut";

import { LOG, PLANTED } from "./common.mjs";

function* chunks(text, size) {
  for (let at = 0; at < text.length; at += size) {
    yield text.slice(at, at + size);
  }
}

test("chunks of any size give the reply of the whole", async () => {
  const oc = new Offcut();
  const whole = oc.cutSync(LOG, { limit: 4000, tool: "bash" });
  for (const size of [777, 4097, 100_000]) {
    const stream = oc.stream({ limit: 4000, tool: "bash" });
    assert.ok(stream instanceof CutStream && stream instanceof Transform);
    await pipeline(Readable.from(chunks(LOG, size)), stream);
    const reply = await stream.reply;
    assert.deepEqual(reply.kept, whole.kept);
    assert.equal(stream.taken, Buffer.byteLength(LOG));
    assert.equal(await oc.show(reply), LOG);
  }
});

test("who reads from it gets the text of the reply", async () => {
  const stream = new Offcut().stream();
  const received = [];
  const sink = new Writable({ write: (chunk, _, done) => (received.push(chunk), done()) });
  await pipeline(Readable.from(chunks(LOG, 9000)), stream, sink);
  const text = Buffer.concat(received).toString();
  assert.equal(text, (await stream.reply).text);
  assert.ok(text.includes(PLANTED) && text.length <= 8000);
});

test("writers are asked to wait, and memory stays bounded", async () => {
  const stream = new Offcut({ store: "none" }).stream();
  const block = Buffer.alloc(1 << 20, "a line of forty characters, more or less\n");
  const before = process.memoryUsage.rss();
  let waits = 0;
  for (let n = 0; n < 64; n += 1) {
    if (!stream.write(block)) {
      waits += 1;
      await once(stream, "drain");
    }
  }
  stream.end();
  const reply = await stream.reply;
  assert.equal(stream.taken, 64 << 20);
  assert.ok(reply.wasTruncated && waits >= 32, String(waits));
  assert.ok(process.memoryUsage.rss() - before < 48 << 20);
});

test("a character may be split", async () => {
  const stream = new Offcut().stream();
  for (const byte of Buffer.from("caf\u00e9 \u{1f600}\n")) {
    stream.write(Uint8Array.of(byte));
  }
  stream.end();
  assert.equal(String(await stream.reply), "caf\u00e9 \u{1f600}\n");
});

test("what is over the largest size is counted and dropped, and a source is not read on", async () => {
  const oc = new Offcut({ options: { max_artifact_size: "100KB" } });
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 1;
      yield "x".repeat(1023) + "\n";
    }
  }
  const reply = await oc.cut(endless());
  assert.ok(reply.report.is_error && given < 1000, String(given));
});

test("an output that breaks off rejects the reply", async () => {
  const oc = new Offcut();
  const stream = oc.stream();
  stream.write(LOG);
  stream.destroy();
  await assert.rejects(stream.reply, { code: "closed" });
  async function* breaking() {
    yield "one\n";
    throw new Error("the line is dead");
  }
  await assert.rejects(oc.cut(breaking()), /the line is dead/);
  const failing = oc.stream();
  await assert.rejects(pipeline(Readable.from(breaking()), failing), /the line is dead/);
  await assert.rejects(failing.reply, /the line is dead/);
});
