/**
 * LangChain.js: middleware for `createAgent`.
 *
 * ```js
 * import { createAgent } from "langchain";
 * import { offcutMiddleware } from "offcut/langchain";
 *
 * const agent = createAgent({ model, tools, middleware: [offcutMiddleware()] });
 * ```
 *
 * @module
 */

import { AIMessage, type BaseMessage, ToolMessage, createMiddleware, tool } from "langchain";

import { DESCRIPTION, NAME, SCHEMA, type ToolCall, type Turn, chatMessages, cutBlocks, cutText, resultTexts, retrieve } from "./adapter.mjs";
import { Offcut } from "./index.mjs";

/** The tool that notices name, for the model. */
export function artifactTool(oc: Offcut) {
  return tool((request: unknown) => retrieve(oc, request), { name: NAME, description: DESCRIPTION, schema: SCHEMA });
}

/** How a conversation is treated. */
export interface MiddlewareOptions {
  /** Limits, store and session; the profile `auto` with outputs in memory where it is not given. */
  oc?: Offcut;
  /** Whether results that are two turns old are sent to the model shortened; the state keeps them as they are. */
  retain?: boolean;
}

/** Cuts what tools return before it enters the conversation, and gives the model `get_artifact`. */
export function offcutMiddleware({ oc = new Offcut(), retain = false }: MiddlewareOptions = {}) {
  return createMiddleware({
    name: "OffcutMiddleware",
    tools: [artifactTool(oc)],
    wrapToolCall: async (request, handler) => {
      const { name, args } = request.toolCall;
      return cutResult(oc, await handler(request), { tool: name, args });
    },
    wrapModelCall: async (request, handler) =>
      handler(retain ? { ...request, messages: await retainedMessages(oc, request.messages) } : request),
  });
}

/** Cuts a message, or those that a command brings into the state. */
async function cutResult<T extends object>(oc: Offcut, result: T, call: ToolCall): Promise<T> {
  if (ToolMessage.isInstance(result)) {
    return (await cutMessage(oc, result, call)) as unknown as T;
  }
  const { update } = result as { update?: { messages?: unknown } };
  if (!Array.isArray(update?.messages)) {
    return result;
  }
  const messages = update.messages.map((message: unknown) =>
    ToolMessage.isInstance(message) ? cutMessage(oc, message, call) : message,
  );
  const changed = { update: { ...update, messages: await Promise.all(messages) } };
  return Object.assign(Object.create(Object.getPrototypeOf(result) as object) as T, result, changed);
}

async function cutMessage(oc: Offcut, message: ToolMessage, call: ToolCall): Promise<ToolMessage> {
  const failed = message.status === "error";
  return withContent(message, await cutBlocks(message.content, (text) => cutText(oc, text, { ...call, failed })));
}

function withContent(message: ToolMessage, content: ToolMessage["content"]): ToolMessage {
  const { tool_call_id, name, status, artifact, id, additional_kwargs, response_metadata, metadata } = message;
  const fields = { tool_call_id, name, status, artifact, id, additional_kwargs, response_metadata, metadata, content };
  return new ToolMessage(fields as ConstructorParameters<typeof ToolMessage>[0]);
}

/** Returns the messages with old tool results shortened; the others are the same objects. */
export async function retainedMessages(oc: Offcut, messages: BaseMessage[]): Promise<BaseMessage[]> {
  const texts = resultTexts((await oc.retain(chatMessages(messages.map(turn)))).messages);
  return messages.map((message) => {
    const text = ToolMessage.isInstance(message) ? texts.get(message.tool_call_id) : undefined;
    return ToolMessage.isInstance(message) && text !== undefined && text !== message.text
      ? withContent(message, text)
      : message;
  });
}

function turn(message: BaseMessage): Turn {
  if (ToolMessage.isInstance(message)) {
    return { results: [{ id: message.tool_call_id, text: message.text }] };
  }
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  if (calls.length > 0) {
    return { calls: calls.map(({ id, name, args }) => ({ id: id ?? "", tool: name, args })) };
  }
  return { words: message.text };
}
