// What the compiler makes of the adapters' types beside their libraries'; nothing runs it.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type LanguageModel, generateText, tool as aiTool, wrapLanguageModel } from "ai";
import { createAgent, tool as chainTool } from "langchain";
import { Offcut } from "offcut";
import * as ai from "offcut/ai";
import * as langchain from "offcut/langchain";
import * as mastra from "offcut/mastra";
import * as mcp from "offcut/mcp";
import { z } from "zod";

declare const model: Exclude<LanguageModel, string> & Parameters<typeof wrapLanguageModel>[0]["model"];
const inputSchema = z.object({ target: z.string() });
const oc = new Offcut();

const tools = ai.withOffcut({ build: aiTool({ inputSchema, execute: ({ target }) => target.length }) }, oc);
const answer = await generateText({ model, tools, prompt: "go" });
const results: ("build" | "get_artifact")[] = answer.toolCalls.filter((call) => !call.dynamic).map((call) => call.toolName);
wrapLanguageModel({ model, middleware: ai.offcutMiddleware(oc, { window: 3 }) });

const build = chainTool(({ target }) => target, { name: "build", schema: inputSchema });
createAgent({ model: "openai:any", tools: [build], middleware: [langchain.offcutMiddleware({ oc, retain: true })] });

const server: McpServer = mcp.withOffcut(new McpServer({ name: "build", version: "1" }), oc);
server.registerTool("build", { inputSchema: { target: z.string() } }, ({ target }) => ({ content: [{ type: "text", text: target }] }));

const cut: { build: { id: string }; get_artifact: mastra.ArtifactTool } = mastra.withOffcut({ build: { id: "build" } });
export { cut, results };
