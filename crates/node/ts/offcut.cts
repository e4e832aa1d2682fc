import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { type Strategy, nativeStrategy } from "./document.cjs";
import { OffcutError } from "./error.cjs";
import { type Retained, conversation, retained } from "./messages.cjs";
import { type Engine, type Question, type Told, calling, native, succeeded } from "./native.cjs";
import { Reply } from "./reply.cjs";
import { CutStream } from "./stream.cjs";
import { type CutResult, type ToolOptions, argumentsText, wrapped } from "./tool.cjs";

/** An output that is there: text, bytes, or a file (`{ file: "out.log" }`, or a `file:` URL). */
export type Output = string | Uint8Array | URL | { file: string };

/** An output that comes in chunks: a `Readable`, a web stream, anything that can be iterated. */
export type Chunks = AsyncIterable<string | Uint8Array>;

/** A number of characters, or text with a unit: `"2000 tokens"`, `"30KB"`, `"200 lines"`. */
export type Limit = number | string;

/** Lines, counted from 1: `"12-90"` as a gap prints it, `12`, `[12, 90]`; `"b39-4983"` are bytes. */
export type LineSpan = string | number | readonly [first: number, last: number];

/** What an output is kept under: a handle, or the reply to it. `"last"` is the newest one. */
export type Handle = string | Reply;

/** Asks a language model. Several questions may be open at once. */
export type Model = (system: string, user: string, maxTokens: number) => string | Promise<string>;

/** What is said about an output that comes in chunks. */
export interface StreamOptions {
  /** The most that may be shown. */
  limit?: Limit;
  /** Whose output it is; it chooses limits and helps to tell what it is. */
  tool?: string;
  /** The arguments of the call: an object, or a command line. */
  args?: unknown;
  /** What it is, where that is known better than it looks: `log`, `json`, `test`, … */
  kind?: string;
  /** How to cut, in place of what the content suggests. */
  strategy?: string;
  callId?: string;
  keepPrefixes?: boolean;
}

/** What is said about an output. */
export interface CutOptions extends StreamOptions {
  /** How the call ended; a cut says so in its header. */
  exitCode?: number;
  failed?: boolean;
}

/** Rules, store and session of an `Offcut`. */
export interface OffcutOptions {
  /** The set of limits and wordings: `auto` (the default), `balanced`, `paged`, `handle` or `bookends`. */
  profile?: string;
  /**
   * Where whole outputs are kept: `memory` (the default; as long as the object lives), `none`, a directory (which the
   * command `offcut` reads as well), or an address such as `s3://bucket/prefix` where the build has object storage.
   */
  store?: string;
  /** The name under which outputs are kept; one session does not see another's. */
  session?: string;
  /** The limit of calls that give none. */
  limit?: Limit;
  /** What a configuration file can say: `{ overrides: { grep: { inline_limit: 4000 } } }`. */
  options?: Record<string, unknown>;
  /** Your own strategies by name, which `strategy` and the options may use. They run in `cut`, not in `cutSync`. */
  strategies?: Record<string, Strategy>;
}

/** Which lines that match are returned. */
export interface GrepOptions {
  /** Lines before and after a match. */
  context?: number;
  maxMatches?: number;
  /** Where to look. */
  lines?: LineSpan;
  ignoreCase?: boolean;
}

/** A part of a kept output that fits what was searched for. */
export interface Passage {
  artifactId: string;
  tool: string;
  args: string;
  firstLine: number;
  lastLine: number;
  text: string;
  score: number;
}

/** How a question is answered. */
export interface ExtractOptions {
  mode?: "auto" | "full-chunked" | "truncate" | "search";
  /** Reads the output chunk by chunk; without one the passages that fit the words best are returned. */
  model?: Model;
  contextTokens?: number;
  outputTokens?: number;
}

/** The answer to a question about a kept output; `String(answer)` is its text. */
export class Extraction {
  constructor(
    readonly text: string,
    /** Whether it went wrong; the text says how. */
    readonly failed: boolean,
    readonly account: Record<string, unknown>,
  ) {}

  toString(): string {
    return this.text;
  }
}

/** How a conversation is treated. */
export interface RetainOptions {
  /** Turns for which results are whole (2). */
  window?: number;
  /** Lines that they have afterwards (3). */
  lines?: number;
  /** `pays` shortens only when that saves money, given the provider's prompt cache and prices. */
  mode?: "window" | "pays" | "off";
  /** Whether new results over the limit are cut as well. */
  cut?: boolean;
  turn?: number;
  format?: "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "neutral";
  /** Tools whose results are never shortened. */
  protect?: string[];
  /** Whose prices `pays` counts with. */
  price?: string;
}

/** The arguments of the tool `get_artifact`, as a model gives them. */
export interface ArtifactRequest {
  /** The artifact's id as a notice gives it (`9kgw`), or `last`. */
  id: string;
  /** Lines as a gap prints them: `1422-1832`; `b39-4983` are bytes. */
  lines?: string;
  start_line?: number;
  end_line?: number;
  start_byte?: number;
  end_byte?: number;
  /** A JSONPath (RFC 9535), for JSON and NDJSON. */
  query?: string;
  /** A regular expression; lines that match. */
  pattern?: string;
  context?: number;
  max_matches?: number;
  offset?: number;
}

/** Cuts outputs for a model and keeps the whole of each. */
export class Offcut {
  #engine: Engine;
  #limit: Limit | undefined;

  constructor({ profile, store = "memory", session = "default", limit, options, strategies }: OffcutOptions = {}) {
    const said = JSON.stringify(profile === undefined ? (options ?? {}) : { ...options, profile });
    const named = Object.entries(strategies ?? {}).map(([name, strategy]) => ({
      name,
      choose: nativeStrategy(strategy),
    }));
    this.#limit = limit;
    this.#engine = calling(() => new native.Engine(said, store, session, named));
  }

  /** The session that outputs are kept under. */
  get session(): string {
    return this.#engine.session;
  }

  /** Returns the part of `output` that is worth showing within the limit; the whole of it is kept. */
  async cut(output: Output | Chunks, options: CutOptions = {}): Promise<Reply> {
    if (isChunks(output)) {
      return this.#cutChunks(output, options);
    }
    const [operation, source] = this.#cutting(output, options);
    return new Reply(await this.#start(operation, source));
  }

  /** The same at once, on the thread that calls, for an output that is there. */
  cutSync(output: Output, options: CutOptions = {}): Reply {
    const [operation, source] = this.#cutting(output, options);
    return new Reply(this.#run(operation, source));
  }

  /** Returns a stream to write an output to while it comes. */
  stream(options: StreamOptions = {}): CutStream {
    return new CutStream(calling(() => this.#engine.stream(JSON.stringify(this.#facts(options)))));
  }

  async #cutChunks(chunks: Chunks, options: CutOptions): Promise<Reply> {
    const stream = this.stream(options);
    try {
      for await (const chunk of chunks) {
        if (!stream.write(chunk)) {
          await once(stream, "drain");
        }
        if (stream.full) {
          break;
        }
      }
    } catch (error) {
      stream.destroy();
      throw error;
    }
    stream.end();
    return stream.reply;
  }

  #cutting(output: Output, options: CutOptions): [operation: object, source?: Buffer | string] {
    const facts = this.#facts(options);
    if (typeof output === "string") {
      return [{ do: "cut", facts }, output];
    }
    if (output instanceof Uint8Array) {
      return [{ do: "cut", facts }, Buffer.from(output.buffer, output.byteOffset, output.byteLength)];
    }
    const path = output instanceof URL ? fileURLToPath(output) : output?.file;
    if (typeof path !== "string") {
      throw new TypeError("an output is text, bytes, a file ({ file: path } or a URL) or, with cut, a stream");
    }
    return [{ do: "cut_file", path, facts }];
  }

  #facts(options: CutOptions): object {
    const limit = options.limit ?? this.#limit;
    return {
      tool: options.tool ?? "",
      args: argumentsText(options.args),
      call_id: options.callId,
      kind: options.kind,
      limit: limit === undefined ? undefined : String(limit),
      strategy: options.strategy,
      keep_prefixes: options.keepPrefixes ?? false,
      exit_code: options.exitCode,
      failed: options.failed ?? false,
    };
  }

  /** Returns a kept output: all of it, some lines, or its last `tail` lines. */
  async show(handle: Handle, lines?: LineSpan, options: { tail?: number } = {}): Promise<string> {
    return text(await this.#start(showing(handle, lines, options)));
  }

  /** `show`, at once. */
  showSync(handle: Handle, lines?: LineSpan, options: { tail?: number } = {}): string {
    return text(this.#run(showing(handle, lines, options)));
  }

  /** Returns the lines of a kept output that match a regular expression, each with its number. */
  async grep(handle: Handle, pattern: string | RegExp, options: GrepOptions = {}): Promise<string> {
    return text(await this.#start(grepping(handle, pattern, options)));
  }

  /** `grep`, at once. */
  grepSync(handle: Handle, pattern: string | RegExp, options: GrepOptions = {}): string {
    return text(this.#run(grepping(handle, pattern, options)));
  }

  /** Returns what a JSONPath (RFC 9535) selects in a kept output that is JSON or NDJSON. */
  async query(handle: Handle, path: string, options: { offset?: number } = {}): Promise<unknown[]> {
    const operation = { do: "query", handle: named(handle), path, offset: options.offset ?? 0 };
    return JSON.parse(text(await this.#start(operation))) as unknown[];
  }

  /** Returns the passages of all kept outputs of the session that fit some words best, best first. */
  async search(words: string, options: { limit?: number } = {}): Promise<Passage[]> {
    if (words.trim() === "") {
      throw new TypeError("the words to search for are empty");
    }
    const told = await this.#start({ do: "search", words, limit: options.limit ?? 10 });
    return (JSON.parse(text(told)) as Hit[]).map(passage);
  }

  /**
   * Answers a question about a kept output. There is always an answer: what goes wrong is its text, and `failed`.
   */
  async extract(handle: Handle, what: string, options: ExtractOptions = {}): Promise<Extraction> {
    const { mode = "auto", model, contextTokens = 128_000, outputTokens = 4_096 } = options;
    const operation = {
      do: "extract",
      handle: named(handle),
      what,
      mode,
      context_tokens: contextTokens,
      output_tokens: outputTokens,
    };
    const told = await this.#start(operation, undefined, model && nativeModel(model));
    const said = JSON.parse(told.facts ?? "{}") as Pick<Extraction, "failed" | "account">;
    return new Extraction(text(told), said.failed, said.account);
  }

  /** Returns the facts about each kept output of the session, oldest first. */
  async artifacts(): Promise<Record<string, unknown>[]> {
    return JSON.parse(text(await this.#start({ do: "artifacts" }))) as Record<string, unknown>[];
  }

  /**
   * Shortens the old tool results of a conversation; each is kept whole, and its notice says what to call.
   *
   * `messages` is a list of messages of Anthropic's or OpenAI's APIs, or the body of a request. It is not changed. The
   * same conversation gives the same messages every time, so that prompt caches hold.
   */
  async retain<T extends object>(messages: T, options: RetainOptions = {}): Promise<Retained<T>> {
    const { body, key } = conversation(messages);
    return retained(messages, key, await this.#start(retaining(options), body));
  }

  /** `retain`, at once. */
  retainSync<T extends object>(messages: T, options: RetainOptions = {}): Retained<T> {
    const { body, key } = conversation(messages);
    return retained(messages, key, this.#run(retaining(options), body));
  }

  /**
   * Reads a stored tool output back, for a model: this is the tool `get_artifact` that notices name. Its answer is a
   * page with the next call under it, or a sentence that says what was wrong.
   */
  async getArtifact(request: ArtifactRequest): Promise<string> {
    return this.#forModel({ do: "page" }, JSON.stringify(request));
  }

  /** Returns the whole text of a tool result that a conversation no longer carries, in pages, for a model. */
  async getTaskTrace(request: { traceId: string }): Promise<string> {
    return this.#forModel({ do: "trace", trace_id: request.traceId });
  }

  /**
   * Returns a function whose text is cut, sync or async; its name and arguments are those of the call. What is not text
   * is returned as it is.
   */
  tool<A extends unknown[], R>(call: (...args: A) => R, options: ToolOptions = {}): (...args: A) => CutResult<R> {
    const { name, ...settings } = options;
    const facts = (args: unknown): CutOptions => ({ tool: name ?? (call.name || "tool"), args, ...settings });
    return wrapped(call, {
      now: (output, args) => this.cutSync(output, facts(args)).text,
      later: async (output, args) => (await this.cut(output, facts(args))).text,
    });
  }

  /** Ends the session; with the option `artifacts.cleanup_on_exit` its outputs go. */
  async close(): Promise<void> {
    await this.#start({ do: "close" });
  }

  #run(operation: object, source?: Buffer | string): Told {
    return succeeded(calling(() => this.#engine.run(JSON.stringify(operation), source)));
  }

  async #start(operation: object, source?: Buffer | string, model?: (question: Question) => void): Promise<Told> {
    return succeeded(await calling(() => this.#engine.start(JSON.stringify(operation), source, model)));
  }

  async #forModel(operation: object, source?: string): Promise<string> {
    try {
      return text(await this.#start(operation, source));
    } catch (error) {
      if (error instanceof OffcutError) {
        return `error: ${error.message}`;
      }
      throw error;
    }
  }
}

function isChunks(output: Output | Chunks): output is Chunks {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}

function text(told: Told): string {
  return told.text ?? "";
}

function named(handle: Handle): string {
  if (!(handle instanceof Reply)) {
    return handle;
  }
  if (handle.handle === undefined) {
    throw new OffcutError("nothing was kept for this reply: its text is the whole output, or there is no store", "not_kept");
  }
  return handle.handle;
}

function span(lines: LineSpan | undefined): string | undefined {
  return lines === undefined ? undefined : typeof lines === "object" ? lines.join("-") : String(lines);
}

function showing(handle: Handle, lines: LineSpan | undefined, { tail }: { tail?: number }): object {
  return { do: "read", handle: named(handle), at: span(lines), tail };
}

function grepping(handle: Handle, pattern: string | RegExp, options: GrepOptions): object {
  const { source, ignoreCase } = typeof pattern === "string" ? { source: pattern, ignoreCase: false } : pattern;
  return {
    do: "grep",
    handle: named(handle),
    pattern: options.ignoreCase || ignoreCase ? `(?i)${source}` : source,
    context: options.context ?? 0,
    max_matches: options.maxMatches,
    lines: span(options.lines),
  };
}

function retaining(options: RetainOptions): object {
  const settings = {
    window: options.window ?? 2,
    lines: options.lines ?? 3,
    mode: options.mode ?? "window",
    cut: options.cut ?? false,
    declared: true,
    protect: options.protect ?? [],
    price: options.price,
  };
  return { do: "retain", format: options.format, turn: options.turn, settings };
}

function nativeModel(model: Model): (question: Question) => void {
  const asked = async (question: Question): Promise<string> =>
    model(question.system, question.user, question.maxTokens);
  return (question) => {
    asked(question).then(
      (answer) => question.answer(String(answer)),
      (error: unknown) => question.fail(String(error)),
    );
  };
}

interface Hit {
  artifact: { id: string; source: { tool?: string; arguments?: string } };
  passage: { first_line: number; last_line: number; text: string; score: number };
}

function passage({ artifact, passage }: Hit): Passage {
  return {
    artifactId: artifact.id,
    tool: artifact.source.tool ?? "",
    args: artifact.source.arguments ?? "",
    firstLine: passage.first_line,
    lastLine: passage.last_line,
    text: passage.text,
    score: passage.score,
  };
}
