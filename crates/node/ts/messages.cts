import type { Told } from "./native.cjs";

/** A conversation whose old tool results are shortened. */
export interface Retained<T> {
  /** The conversation, in the shape that it came in. It shares with the old one all that stays the same. */
  messages: T;
  /** What was changed, and the tokens before and after. */
  report: RetentionReport;
}

/** What shortening a conversation has changed; `docs/retention.md` describes the rest. */
export interface RetentionReport {
  tokens_before: number;
  tokens_after: number;
  [fact: string]: unknown;
}

/** A conversation as the library takes it: JSON, and which member of it the list is. */
export interface Conversation {
  body: string;
  key: string | undefined;
}

/** A list of messages, or the body of a request, as JSON. */
export function conversation(messages: unknown): Conversation {
  if (typeof messages !== "object" || messages === null) {
    throw new TypeError(`a conversation is a list of messages or the body of a request, not ${typeof messages}`);
  }
  const key = Array.isArray(messages) ? listKey(messages) : undefined;
  // A bare list declares no tools; that the model has this one is what notices rely on.
  const body = key === undefined ? messages : { tools: [{ name: "get_artifact" }], [key]: messages };
  return { body: JSON.stringify(body), key };
}

/** The member of a request's body that such a list is: `input` for items of the Responses API. */
function listKey(messages: readonly unknown[]): string {
  const isItem = (message: unknown): boolean => {
    const type = String((message as { type?: unknown } | null)?.type);
    return type.startsWith("function_call") || type.startsWith("custom_tool_call");
  };
  return messages.some(isItem) ? "input" : "messages";
}

/** The conversation with what was changed in it. */
export function retained<T>(messages: T, key: string | undefined, told: Told): Retained<T> {
  const report = JSON.parse(told.facts ?? "{}") as RetentionReport;
  if (told.text === undefined) {
    return { messages, report };
  }
  const changed = JSON.parse(told.text) as Record<string, unknown>;
  return { messages: merged(messages, key === undefined ? changed : changed[key]) as T, report };
}

type Members = Record<string, unknown>;

/** `old` with what `now` says otherwise; parts that are the same are shared, and nothing is changed. */
export function merged(old: unknown, now: unknown): unknown {
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    const items = old.map((item, at) => merged(item, now[at]));
    return items.every((item, at) => item === old[at]) ? old : items;
  }
  if (isPlain(old) && isPlain(now)) {
    const parts = Object.entries(old).map(([key, value]) => [key, key in now ? merged(value, now[key]) : value]);
    return parts.every(([key, value]) => value === old[key as string]) ? old : (Object.fromEntries(parts) as Members);
  }
  return JSON.stringify(old) === JSON.stringify(now) ? old : now;
}

function isPlain(value: unknown): value is Members {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
