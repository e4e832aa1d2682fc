/** Settings of a tool whose output is cut. */
export interface ToolOptions {
  /** The tool's name; the function's where it is not given. */
  name?: string;
  limit?: number | string;
  kind?: string;
  strategy?: string;
}

/** What a function returns when its text is cut: bytes become text, and all else stays what it is. */
export type CutResult<R> =
  R extends Promise<infer T> ? Promise<CutResult<T>> : R extends Uint8Array ? string : R;

type Text = string | Uint8Array;

/** How a tool's text is cut, at once or later. */
export interface ToolCutter {
  now(output: Text, args: unknown): string;
  later(output: Text, args: unknown): Promise<string>;
}

/** `call` with its text cut; one that returns a promise goes on to. */
export function wrapped<A extends unknown[], R>(
  call: (...args: A) => R,
  cutter: ToolCutter,
): (...args: A) => CutResult<R> {
  function cutting(this: unknown, ...args: A): unknown {
    const output: unknown = call.apply(this, args);
    if (isText(output)) {
      return cutter.now(output, callArguments(args));
    }
    if (output instanceof Promise) {
      return output.then((value: unknown) => (isText(value) ? cutter.later(value, callArguments(args)) : value));
    }
    return output;
  }
  Object.defineProperty(cutting, "name", { value: call.name, configurable: true });
  Object.defineProperty(cutting, "length", { value: call.length, configurable: true });
  return cutting as (...args: A) => CutResult<R>;
}

/** Whether a value is a text, or its bytes. */
export function isText(value: unknown): value is Text {
  return typeof value === "string" || value instanceof Uint8Array;
}

/** One argument as it is, several as a list. */
function callArguments(args: readonly unknown[]): unknown {
  return args.length === 1 ? args[0] : args;
}

/** A call's arguments as the library takes them: JSON, or a command line as it stands. */
export function argumentsText(args: unknown): string {
  if (args === undefined || args === null) {
    return "";
  }
  if (typeof args === "string") {
    return args;
  }
  try {
    return JSON.stringify(args) ?? "";
  } catch {
    // A framework's own objects may refer to themselves: they are no arguments of a call.
    return "";
  }
}
