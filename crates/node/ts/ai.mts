/**
 * Vercel's AI SDK: tools whose results are cut, and middleware for whole conversations.
 *
 * ```js
 * import { generateText } from "ai";
 * import { withOffcut } from "offcut/ai";
 *
 * await generateText({ model, tools: withOffcut(tools), prompt, stopWhen });
 * ```
 *
 * @module
 */

import { type LanguageModelMiddleware, type Tool, type ToolSet, jsonSchema } from "ai";

import { DESCRIPTION, NAME, SCHEMA, type ToolCall, type Turn, chatMessages, cutValue, resultTexts, retrieve } from "./adapter.mjs";
import { type ArtifactRequest, Offcut, type RetainOptions } from "./index.mjs";

/** The tool that notices name, for the model. */
export function artifactTool(oc: Offcut): Tool<ArtifactRequest, string> {
  return {
    description: DESCRIPTION,
    inputSchema: jsonSchema<ArtifactRequest>(SCHEMA),
    execute: (request: ArtifactRequest) => retrieve(oc, request),
  };
}

/**
 * Returns the tools with their results cut, and the tool `get_artifact` that notices name. A value that is no text is
 * cut as the JSON that the model reads, where that is too long.
 */
export function withOffcut<T extends ToolSet>(tools: T, oc = new Offcut()): T & { get_artifact: Tool<ArtifactRequest, string> } {
  const cutting = Object.entries(tools).map(([name, tool]) => [name, cutTool(oc, name, tool as AnyTool)]);
  return { ...(Object.fromEntries(cutting) as T), [NAME]: artifactTool(oc) };
}

interface AnyTool {
  execute?: (input: unknown, ...rest: unknown[]) => unknown;
  toModelOutput?: (given: { input?: unknown; output: unknown }) => unknown;
}

function cutTool(oc: Offcut, name: string, tool: AnyTool): AnyTool {
  const { execute, toModelOutput } = tool;
  if (toModelOutput) {
    // The application keeps the whole value, and the model gets what the tool makes of it, cut.
    const shown = async (given: { input?: unknown; output: unknown }): Promise<unknown> => {
      const output = (await toModelOutput.call(tool, given)) as Output;
      const text = outputText(output);
      const call = { tool: name, args: given.input, failed: output.type.startsWith("error") };
      return text === undefined ? output : withText(output, text, (await oc.cut(text, call)).text);
    };
    return { ...tool, toModelOutput: shown };
  }
  if (!execute) {
    return tool;
  }
  return {
    ...tool,
    execute: (input, ...rest) => cutResult(oc, execute.call(tool, input, ...rest), { tool: name, args: input }),
  };
}

/** A tool may return its value, promise it, or show what it has so far before its last one. */
function cutResult(oc: Offcut, result: unknown, call: ToolCall): unknown {
  if (typeof result === "object" && result !== null && Symbol.asyncIterator in result) {
    return cutLast(oc, result as AsyncIterable<unknown>, call);
  }
  return Promise.resolve(result).then((value) => cutValue(oc, value, call));
}

async function* cutLast(oc: Offcut, values: AsyncIterable<unknown>, call: ToolCall): AsyncIterable<unknown> {
  let last: { value: unknown } | undefined;
  for await (const value of values) {
    last = { value };
    yield value;
  }
  if (last) {
    yield await cutValue(oc, last.value, call);
  }
}

/**
 * Middleware for `wrapLanguageModel`: results over the limit are cut and old ones shortened on the way to the model,
 * while the application's messages stay as they are. Give the model `artifactTool(oc)` as `get_artifact`.
 */
export function offcutMiddleware(oc: Offcut, options: RetainOptions = {}): LanguageModelMiddleware {
  const transformParams: LanguageModelMiddleware["transformParams"] = async ({ params }) => {
    const prompt = params.prompt as Message[];
    const { messages } = await oc.retain(chatMessages(prompt.map(turn)), { cut: true, ...options });
    return { ...params, prompt: withResults(prompt, resultTexts(messages)) as typeof params.prompt };
  };
  return { specificationVersion: "v3", transformParams };
}

type Output = { type: string; value?: unknown };
type Part = { type: string; toolCallId?: string; toolName?: string; input?: unknown; text?: string; output?: Output };
type Message = { role: string; content: string | Part[] };

function turn({ role, content }: Message): Turn {
  const parts = typeof content === "string" ? [] : content;
  if (role === "tool") {
    return { results: parts.flatMap((part) => result(part)) };
  }
  const calls = parts.filter((part) => part.type === "tool-call");
  if (role === "assistant" && calls.length > 0) {
    return { calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId ?? "", tool: toolName ?? "", args: input })) };
  }
  return { words: typeof content === "string" ? content : parts.map(({ text }) => text ?? "").join("\n") };
}

function result({ type, toolCallId, output }: Part): { id: string; text: string }[] {
  const text = output && outputText(output);
  return type === "tool-result" && toolCallId && text !== undefined ? [{ id: toolCallId, text }] : [];
}

function withResults(prompt: Message[], texts: Map<string, string>): Message[] {
  const part = (old: Part): Part => {
    const [known] = result(old);
    const text = known && texts.get(known.id);
    return known && old.output && text !== undefined ? { ...old, output: withText(old.output, known.text, text) } : old;
  };
  return prompt.map((message) =>
    message.role === "tool" && typeof message.content !== "string"
      ? { ...message, content: message.content.map(part) }
      : message,
  );
}

/** The text of a result as the model reads it; none where there is more than text. */
function outputText({ type, value }: Output): string | undefined {
  if (type === "text" || type === "error-text") {
    return String(value);
  }
  if (type === "json" || type === "error-json") {
    return JSON.stringify(value);
  }
  const [only, ...others] = (Array.isArray(value) ? value : []) as { type?: string; text?: string }[];
  return only?.type === "text" && others.length === 0 ? only.text : undefined;
}

/** The result with another text; the same where the text is. */
function withText(output: Output, old: string, text: string): Output {
  if (text === old) {
    return output;
  }
  if (output.type === "content") {
    return { ...output, value: [{ ...(output.value as object[])[0], text }] };
  }
  return { ...output, type: output.type.startsWith("error") ? "error-text" : "text", value: text };
}
