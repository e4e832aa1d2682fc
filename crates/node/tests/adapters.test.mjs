// Each adapter with its real library: a scripted model calls a tool, sees the planted line, and fetches a gap.

import assert from "node:assert/strict";
import test from "node:test";

import { Offcut } from "offcut";

import { LOG, PLANTED } from "./common.mjs";
import { library, scriptedModel } from "./model.mjs";

/** A line that a cut leaves out. */
const HIDDEN = "INFO worker 10 finished its part";

const SCRIPT = [
  { tool: "run_build", args: { target: "all" } },
  { tool: "get_artifact", args: { id: { $result: "\\[offcut (\\w+):" }, lines: { $result: "\\[\\w+ (\\d+-\\d+)" } } },
  { text: "The disk /dev/sda7 is full." },
];
const QUESTION = "Why does the build fail?";

/** The model saw the line that matters, fetched what was left out, and answered. */
async function check(model, answer) {
  const [cut, gap] = (await model.results()).map(({ text }) => text);
  assert.ok(cut.includes(PLANTED) && !cut.includes(HIDDEN) && cut.length <= 8000, cut);
  assert.ok(gap.includes(HIDDEN), gap);
  assert.match(answer, /The disk \/dev\/sda7 is full\./);
  const declared = (await model.records()).map((record) => record.declared_tools).filter((tools) => tools.length > 0);
  assert.ok(declared.length > 0 && declared.every((tools) => tools.includes("get_artifact")));
}

async function aiSdk(t, script) {
  const ai = await library(t, "ai");
  const provider = ai && (await library(t, "@ai-sdk/openai-compatible"));
  const model = provider && (await scriptedModel(t, script));
  if (!model) {
    return undefined;
  }
  const { z } = await import("zod");
  const inputSchema = z.object({ target: z.string() });
  const build = { run_build: ai.tool({ description: "Build a target.", inputSchema, execute: async () => LOG }) };
  const adapter = await import("offcut/ai");
  const { chatModel } = provider.createOpenAICompatible({ name: "fake", baseURL: `${model.url}/v1`, apiKey: "test" });
  return { ai, adapter, model, build, inputSchema, chat: chatModel("fake-model") };
}

test("AI SDK: tools", async (t) => {
  const given = await aiSdk(t, SCRIPT);
  if (!given) return;
  const { ai, adapter, model, build, chat } = given;
  const stopWhen = ai.stepCountIs(5);
  const answer = await ai.generateText({ model: chat, tools: adapter.withOffcut(build), prompt: QUESTION, stopWhen });
  await check(model, answer.text);
});

test("AI SDK: a stream, and tools that give values, or more than one", async (t) => {
  const given = await aiSdk(t, [
    { tool: "list_users", args: { target: "3" } },
    { tool: "list_users", args: { target: "9000" } },
    { tool: "progress", args: { target: "x" } },
    { tool: "shown", args: { target: "x" } },
    { text: "done" },
  ]);
  if (!given) return;
  const { ai, adapter, model, inputSchema, chat } = given;
  const tools = adapter.withOffcut({
    list_users: ai.tool({ inputSchema, execute: ({ target }) => Array.from({ length: Number(target) }, (_, id) => ({ id })) }),
    progress: ai.tool({
      inputSchema,
      async *execute() {
        yield "begun";
        yield LOG;
      },
    }),
    shown: ai.tool({ inputSchema, execute: () => ({ log: LOG }), toModelOutput: ({ output }) => ({ type: "text", value: output.log }) }),
  });
  const streamed = ai.streamText({ model: chat, tools, prompt: QUESTION, stopWhen: ai.stepCountIs(6) });
  assert.equal(await streamed.text.then((text) => text.trim()), "done");
  const [small, large, progress, shown] = (await model.results()).map(({ text }) => text);
  assert.deepEqual(JSON.parse(small), [{ id: 0 }, { id: 1 }, { id: 2 }]);
  assert.ok(large.length <= 8000 && large.includes("get_artifact("));
  assert.ok(progress.length <= 8000 && progress.includes(PLANTED));
  assert.ok(shown.length <= 8000 && shown.includes(PLANTED));
  const steps = await streamed.steps;
  // The application keeps what such a tool returned.
  assert.deepEqual(steps[3].toolResults[0].output, { log: LOG });
});

test("AI SDK: middleware for whole conversations", async (t) => {
  const given = await aiSdk(t, SCRIPT);
  if (!given) return;
  const { ai, adapter, model, build, chat } = given;
  const oc = new Offcut();
  const answer = await ai.generateText({
    model: ai.wrapLanguageModel({ model: chat, middleware: adapter.offcutMiddleware(oc) }),
    tools: { ...build, get_artifact: adapter.artifactTool(oc) },
    prompt: QUESTION,
    stopWhen: ai.stepCountIs(5),
  });
  await check(model, answer.text);
  assert.equal(answer.steps[0].toolResults[0].output, LOG);
});

async function langChain(t, script) {
  const langchain = await library(t, "langchain");
  const openai = langchain && (await library(t, "@langchain/openai"));
  const model = openai && (await scriptedModel(t, script));
  if (!model) {
    return undefined;
  }
  const chat = new openai.ChatOpenAI({ model: "fake-model", apiKey: "test", configuration: { baseURL: `${model.url}/v1` } });
  return { langchain, model, chat, adapter: await import("offcut/langchain") };
}

const parameters = { type: "object", properties: { target: { type: "string" } }, required: ["target"] };

test("LangChain", async (t) => {
  const given = await langChain(t, SCRIPT);
  if (!given) return;
  const { langchain, model, chat, adapter } = given;
  const build = langchain.tool(async () => LOG, { name: "run_build", description: "Build a target.", schema: parameters });
  const agent = langchain.createAgent({ model: chat, tools: [build], middleware: [adapter.offcutMiddleware()] });
  const state = await agent.invoke({ messages: [{ role: "user", content: QUESTION }] });
  await check(model, state.messages.at(-1).text);
});

test("LangChain: old results are shortened on the way to the model", async (t) => {
  const steps = [0, 1, 2, 3].map((n) => ({ tool: "step", args: { target: String(n) } }));
  const given = await langChain(t, [...steps, { text: "done" }]);
  if (!given) return;
  const { langchain, model, chat, adapter } = given;
  const step = langchain.tool(({ target }) => `this is step ${target}\n${"some more\n".repeat(200)}`, {
    name: "step",
    description: "Take a step.",
    schema: parameters,
  });
  const agent = langchain.createAgent({ model: chat, tools: [step], middleware: [adapter.offcutMiddleware({ retain: true })] });
  const state = await agent.invoke({ messages: [{ role: "user", content: "go" }] });
  const last = (await model.records()).at(-1).tool_results.map(({ text }) => text);
  assert.ok(last.slice(0, 2).every((text) => text.length < 300 && text.includes("get_artifact(id=")), last[0]);
  assert.ok(last.slice(2).every((text) => text.length > 1000));
  const kept = state.messages.filter((message) => message.type === "tool");
  assert.ok(kept.length === 4 && kept.every((message) => message.text.length > 1000));
});

test("MCP", async (t) => {
  const sdk = await library(t, "@modelcontextprotocol/sdk/server/mcp.js");
  if (!sdk) return;
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = await import("@modelcontextprotocol/sdk/inMemory.js");
  const { z } = await import("zod");
  const { withOffcut } = await import("offcut/mcp");
  const oc = new Offcut();
  const server = withOffcut(new sdk.McpServer({ name: "build", version: "1.0.0" }), oc);
  const text = (text) => ({ content: [{ type: "text", text }] });
  server.registerTool("run_build", { description: "Build a target.", inputSchema: { target: z.string() } }, async () => text(LOG));
  server.registerTool("status", { description: "Say how it is." }, async () => ({ ...text(LOG), isError: true }));
  server.registerTool(
    "users",
    { description: "List users.", outputSchema: { users: z.array(z.object({ id: z.number() })) } },
    async () => ({ content: [], structuredContent: { users: Array.from({ length: 9000 }, (_, id) => ({ id })) } }),
  );
  const client = new Client({ name: "test", version: "1.0.0" });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  t.after(() => client.close());
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), ["get_artifact", "run_build", "status", "users"]);
  const call = async (name, args = {}) => client.callTool({ name, arguments: args });
  const cut = (await call("run_build", { target: "all" })).content[0].text;
  assert.ok(cut.includes(PLANTED) && !cut.includes(HIDDEN) && cut.length <= 8000);
  const [, id] = /\[offcut (\w+):/.exec(cut);
  assert.ok((await call("get_artifact", { id, pattern: "worker 10 " })).content[0].text.includes(HIDDEN));
  const failed = await call("status");
  assert.ok(failed.isError && failed.content[0].text.split("\n")[0].includes("the call failed"));
  const users = await call("users");
  assert.ok(users.content[0].text.length <= 8000 && users.structuredContent === undefined);
  assert.deepEqual((await oc.artifacts())[0].source, { tool: "run_build", arguments: '{"target":"all"}' });
});

test("Mastra", async (t) => {
  const agents = await library(t, "@mastra/core/agent");
  const model = agents && (await scriptedModel(t, SCRIPT));
  if (!model) return;
  const { createTool } = await import("@mastra/core/tools");
  const { z } = await import("zod");
  const { withOffcut } = await import("offcut/mastra");
  const inputSchema = z.object({ target: z.string() });
  const build = createTool({ id: "run_build", description: "Build a target.", inputSchema, execute: async () => LOG });
  const oc = new Offcut();
  const agent = new agents.Agent({
    id: "builder",
    name: "builder",
    instructions: "Build.",
    model: { id: "fake/fake-model", url: `${model.url}/v1`, apiKey: "test" },
    tools: withOffcut({ run_build: build }, oc),
  });
  const answer = await agent.generate(QUESTION, { maxSteps: 5 });
  await check(model, answer.text);
  assert.deepEqual((await oc.artifacts())[0].source, { tool: "run_build", arguments: '{"target":"all"}' });
});
