// What the adapters have in common: the tool that notices name, and what of a result is text.

import type { ArtifactRequest, Offcut } from "./index.mjs";

/** The name of the tool that reads stored outputs back; its results are pages, and never cut again. */
export const NAME = "get_artifact";

/** What a model is told about it. It pays for this in every turn. */
export const DESCRIPTION = "Read a stored output: lines, bytes, JSONPath, regex";

const TEXT = { type: "string" } as const;
const NUMBER = { type: "integer" } as const;

/** The JSON Schema of its arguments. */
export const SCHEMA = {
  type: "object",
  properties: {
    id: TEXT,
    lines: TEXT,
    start_line: NUMBER,
    end_line: NUMBER,
    start_byte: NUMBER,
    end_byte: NUMBER,
    query: TEXT,
    pattern: TEXT,
    context: NUMBER,
    max_matches: NUMBER,
    offset: NUMBER,
  },
  required: ["id"] as string[],
} as const;

/** Answers a call of the tool; what is wrong with its arguments is the answer. */
export function retrieve(oc: Offcut, request: unknown): Promise<string> {
  return oc.getArtifact(request as ArtifactRequest);
}

/** A tool's call. */
export interface ToolCall {
  tool: string;
  args: unknown;
  failed?: boolean;
}

/** What the model is shown of a tool's text. */
export async function cutText(oc: Offcut, text: string, call: ToolCall): Promise<string> {
  return call.tool === NAME ? text : (await oc.cut(text, call)).text;
}

/** What the model is shown of a tool's value: a text cut, and another value as the JSON that it reads, where that is long. */
export async function cutValue(oc: Offcut, value: unknown, call: ToolCall): Promise<unknown> {
  if (typeof value === "string") {
    return cutText(oc, value, call);
  }
  const json = jsonText(value);
  if (json === undefined || call.tool === NAME) {
    return value;
  }
  const reply = await oc.cut(json, call);
  return reply.wasTruncated ? reply.text : value;
}

function jsonText(value: unknown): string | undefined {
  try {
    return typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

/** A message's content with its texts cut: a text, or a list of texts and blocks. */
export async function cutBlocks<T>(content: T, cut: (text: string) => Promise<string>): Promise<T> {
  if (typeof content === "string") {
    return (await cut(content)) as T;
  }
  if (!Array.isArray(content)) {
    return content;
  }
  const blocks = content.map(async (block: unknown) => {
    if (typeof block === "string") {
      return cut(block);
    }
    const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown };
    return type === "text" && typeof text === "string" ? { ...(block as object), text: await cut(text) } : block;
  });
  return (await Promise.all(blocks)) as T;
}

/** A tool result in a conversation, by the id of its call. */
export interface ToolResult {
  id: string;
  text: string;
}

/** A turn of a conversation: the calls that the model makes, or the results that it gets; others say nothing here. */
export type Turn = { calls: { id: string; tool: string; args: unknown }[] } | { results: ToolResult[] } | { words: string };

/** A conversation's turns as messages of Chat Completions, which `retain` knows. */
export function chatMessages(turns: Turn[]): object[] {
  return turns.flatMap((turn): object[] => {
    if ("calls" in turn) {
      const calls = turn.calls.map(({ id, tool, args }) => ({
        id,
        type: "function",
        function: { name: tool, arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}) },
      }));
      return [{ role: "assistant", content: "", tool_calls: calls }];
    }
    if ("results" in turn) {
      return turn.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
    }
    return [{ role: "user", content: turn.words }];
  });
}

/** The texts of the results that such messages have, by the ids of their calls. */
export function resultTexts(messages: object[]): Map<string, string> {
  const results = messages as { role: string; tool_call_id?: string; content: string }[];
  return new Map(results.flatMap(({ role, tool_call_id, content }) => (role === "tool" && tool_call_id ? [[tool_call_id, content]] : [])));
}
