// What the compiler makes of the package's types, for `import`; nothing runs it.

import { createReadStream } from "node:fs";

import * as offcut from "offcut";
import { type Document, Offcut, type Reply, cut, tool } from "offcut";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const reply = await cut("text", { limit: "30KB", args: ["make", "all"] });
same<typeof reply, Reply>(true);
same<typeof reply.handle, string | undefined>(true);
same<typeof reply.report.kind, string>(true);
same<typeof reply.kept, [first: number, last: number][]>(true);
same<ReturnType<typeof offcut.cutSync>, Reply>(true);
await cut(createReadStream("out.log"));
await cut({ file: "out.log" });
// @ts-expect-error: a number is no output
await cut(3);
// @ts-expect-error: a file that comes cannot be cut at once
offcut.cutSync(createReadStream("out.log"));

const run = tool((command: string, times: number = 1) => command.repeat(times), { limit: 100 });
same<typeof run, (command: string, times?: number) => string>(true);
const fetched = tool(async (url: URL) => Buffer.from(url.href));
same<Awaited<ReturnType<typeof fetched>>, string>(true);
const counted = tool(() => ({ answer: 42 }));
same<ReturnType<typeof counted>, { answer: number }>(true);

function* chosen(document: Document, room: number): Iterable<[number, number, string]> {
  yield [1, Math.min(document.lines, room), "the first"];
}
const oc = new Offcut({ store: "artifacts", strategies: { chosen, last: (document) => [document.lines], none: () => null } });
same<Awaited<ReturnType<typeof oc.query>>, unknown[]>(true);
(await oc.extract("last", "why?", { model: async (system, user, maxTokens) => system + user + maxTokens })).text.trim();
(await oc.search("words"))[0]?.firstLine.toFixed();
const messages = [{ role: "user", content: "go" }];
same<Awaited<ReturnType<typeof oc.retain<typeof messages>>>["messages"], typeof messages>(true);
(await oc.stream({ tool: "bash" }).end("x").reply).text.trim();
