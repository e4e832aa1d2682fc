/**
 * MCP's TypeScript SDK: a server whose tools' text is cut.
 *
 * ```js
 * import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
 * import { withOffcut } from "offcut/mcp";
 *
 * const server = withOffcut(new McpServer({ name: "build", version: "1.0.0" }));
 * server.registerTool("run_build", …);
 * ```
 *
 * @module
 */

import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import { DESCRIPTION, NAME, cutBlocks, retrieve } from "./adapter.mjs";
import { Offcut } from "./index.mjs";

const text = z.string().optional();
const number = z.number().int().optional();

const REQUEST = {
  id: z.string(),
  lines: text,
  start_line: number,
  end_line: number,
  start_byte: number,
  end_byte: number,
  query: text,
  pattern: text,
  context: number,
  max_matches: number,
  offset: number,
};

type Callback = (...given: unknown[]) => CallToolResult | Promise<CallToolResult>;

/**
 * Makes a server cut the text of the tools that are registered from now on by `registerTool`, and registers the tool
 * `get_artifact` that notices name. Returns the server.
 *
 * Results are text only: several clients show a model `structuredContent` in place of the text, and what is cut has none.
 */
export function withOffcut<S extends McpServer>(server: S, oc = new Offcut()): S {
  const register = server.registerTool.bind(server) as (name: string, config: object, callback: Callback) => never;
  register(NAME, { description: DESCRIPTION, inputSchema: REQUEST }, async (request) => ({
    content: [{ type: "text", text: await retrieve(oc, request) }],
  }));
  const registerTool = (name: string, config: object, callback: Callback): never => {
    const cutting: Callback = async (...given) => {
      // A tool without arguments is given the request's circumstances only.
      const args = given.length > 1 ? given[0] : undefined;
      return cutResult(oc, await callback(...given), name, args);
    };
    return register(name, { ...config, outputSchema: undefined }, cutting);
  };
  server.registerTool = registerTool as S["registerTool"];
  return server;
}

async function cutResult(oc: Offcut, result: CallToolResult, tool: string, args: unknown): Promise<CallToolResult> {
  const { structuredContent, ...rest } = result;
  const failed = result.isError === true;
  // A tool may give a value and leave its text to the client.
  const content =
    result.content.length === 0 && structuredContent !== undefined
      ? [{ type: "text" as const, text: JSON.stringify(structuredContent) }]
      : result.content;
  const cut = async (text: string): Promise<string> => (await oc.cut(text, { tool, args, failed })).text;
  return { ...rest, content: await cutBlocks(content, cut) };
}
