// Strategies that are functions.

import assert from "node:assert/strict";
import test from "node:test";

import { Offcut } from "offcut";

import { LINES, LOG } from "./common.mjs";

function linesWith(word) {
  return function* (document) {
    let number = 0;
    for (const line of document) {
      number += 1;
      if (line.includes(word)) {
        yield [number, number, `has ${word}`];
      }
    }
  };
}

const cutBy = (strategy, options) =>
  new Offcut({ strategies: { mine: strategy } }).cut(LOG, { strategy: "mine", ...options });

test("a function chooses what is shown", async () => {
  const reply = await cutBy(linesWith("worker 777 "));
  assert.deepEqual(reply.kept, [[778, 778]]);
  assert.equal(reply.report.strategy, "mine");
  assert.ok(reply.text.length <= 8000 && reply.report.degraded === undefined);
});

test("the most important come first and as many as fit are shown", async () => {
  const fromTheEnd = (document) => Array.from({ length: document.lines }, (_, n) => document.lines - n);
  const reply = await cutBy(fromTheEnd, { limit: 3000 });
  assert.ok(reply.text.length <= 3000 && reply.report.degraded === undefined);
  assert.ok(reply.kept.length === 1 && reply.kept[0][1] === 10_001);
});

test("one may take its time, and read the document in parts", async () => {
  let seen;
  const reply = await cutBy(async (document, room) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen = { lines: document.lines, chars: document.chars, room, whole: document.read(), part: document.read(3, 4), document };
    return [1];
  });
  assert.deepEqual(reply.kept, [[1, 1]]);
  assert.deepEqual([seen.lines, seen.chars, seen.whole], [10_001, LOG.length, LOG]);
  assert.equal(seen.part, LINES.slice(2, 4).join(""));
  assert.ok(seen.room > 0 && seen.room <= 8000);
  assert.throws(() => seen.document.read(), { code: "closed", message: /only while it is being cut/ });
});

test("one that fails or does not apply gives way to another strategy", async () => {
  const strategies = {
    broken: () => {
      throw new Error("oops");
    },
    rejecting: async () => Promise.reject(new Error("later oops")),
    shy: () => null,
    wrong: () => [[9, 3]],
    odd: () => ["line"],
  };
  const why = { broken: "oops", rejecting: "later oops", shy: "does not apply", wrong: "not a range of lines", odd: "" };
  const oc = new Offcut({ strategies });
  for (const name of Object.keys(strategies)) {
    const reply = await oc.cut(LOG, { strategy: name });
    assert.ok(reply.wasTruncated && reply.text.length <= 8000);
    assert.ok(reply.report.degraded.some((said) => said.includes(name) && said.includes(why[name])), String(reply.report.degraded));
  }
});

test("what is cut at once is cut by the usual strategies, and the report says so", () => {
  const reply = new Offcut({ strategies: { first: () => [1] } }).cutSync(LOG, { strategy: "first" });
  assert.ok(reply.wasTruncated);
  assert.ok(reply.report.degraded.some((said) => said.includes("not in `cutSync`")), String(reply.report.degraded));
});

test("many at once, and options may name one", async () => {
  const oc = new Offcut({ strategies: { first: () => [1] }, options: { overrides: { odd: { strategy: "first" } } } });
  const replies = await Promise.all(Array.from({ length: 12 }, () => oc.cut(LOG, { tool: "odd" })));
  assert.ok(replies.every((reply) => reply.kept.length === 1 && reply.kept[0][1] === 1));
  assert.notDeepEqual((await oc.cut(LOG, { tool: "bash" })).kept, [[1, 1]]);
});
