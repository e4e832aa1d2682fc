/**
 * Offcut hands a language model the part of a tool's output that matters, and keeps the rest one call away.
 *
 * @module
 */

import { native } from "./native.cjs";
import { type Chunks, type CutOptions, type Handle, type LineSpan, Offcut, type Output } from "./offcut.cjs";
import type { Reply } from "./reply.cjs";
import type { CutResult, ToolOptions } from "./tool.cjs";

export { type ChosenLines, Document, type LineRange, type Strategy } from "./document.cjs";
export { OffcutError } from "./error.cjs";
export type { Retained, RetentionReport } from "./messages.cjs";
export {
  type ArtifactRequest,
  type Chunks,
  type CutOptions,
  type ExtractOptions,
  Extraction,
  type GrepOptions,
  type Handle,
  type Limit,
  type LineSpan,
  type Model,
  Offcut,
  type OffcutOptions,
  type Output,
  type Passage,
  type RetainOptions,
  type StreamOptions,
} from "./offcut.cjs";
export { Reply, type Report } from "./reply.cjs";
export { CutStream } from "./stream.cjs";
export type { CutResult, ToolOptions } from "./tool.cjs";

/** The version of the package and of the library in it. */
export const version: string = native.VERSION;

let made: Offcut | undefined;

/** The object that the module's own functions use: the profile `auto`, outputs kept in memory. */
export function defaultOffcut(): Offcut {
  made ??= new Offcut();
  return made;
}

const LIMIT = 8000;

/** Returns the part of `output` that is worth showing within the limit (8000 characters); the whole is kept in memory. */
export function cut(output: Output | Chunks, options: CutOptions = {}): Promise<Reply> {
  return defaultOffcut().cut(output, { limit: LIMIT, ...options });
}

/** `cut`, at once, for an output that is there. */
export function cutSync(output: Output, options: CutOptions = {}): Reply {
  return defaultOffcut().cutSync(output, { limit: LIMIT, ...options });
}

/** Returns an output that `cut` has kept: all of it, some lines, or its last `tail` lines. */
export function show(handle: Handle, lines?: LineSpan, options: { tail?: number } = {}): Promise<string> {
  return defaultOffcut().show(handle, lines, options);
}

/** Returns a function whose text is cut, sync or async. See `Offcut.tool`. */
export function tool<A extends unknown[], R>(
  call: (...args: A) => R,
  options: ToolOptions = {},
): (...args: A) => CutResult<R> {
  return defaultOffcut().tool(call, options);
}
