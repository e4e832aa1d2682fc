// The native module of this platform, and what it has.

import { OffcutError } from "./error.cjs";
import { platformPackage } from "./platform.cjs";

/** A text and the facts about it as JSON, or the code of a failure and its sentence. */
export interface Told {
  code?: string;
  text?: string;
  facts?: string;
}

/** Takes one output in. */
export interface Intake {
  write(chunk: Buffer | string): Promise<Told>;
  finish(): Promise<Told>;
}

/** A question to a model; one of its methods is called once. */
export interface Question {
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
  answer(text: string): void;
  fail(why: string): void;
}

/** A document while it is being cut; `choose` or `fail` is called once. */
export interface Choice {
  readonly lines: number;
  readonly chars: number;
  readonly kind: string;
  readonly room: number;
  read(first: number, last: number): string;
  choose(lines: string): void;
  fail(why: string): void;
}

/** Turns outputs into replies and reads back what was kept. */
export interface Engine {
  readonly session: string;
  run(operation: string, source?: Buffer | string): Told;
  start(operation: string, source?: Buffer | string, model?: (question: Question) => void): Promise<Told>;
  stream(facts: string): Intake;
}

interface NativeModule {
  VERSION: string;
  Engine: new (
    options: string,
    store: string,
    session: string,
    strategies: { name: string; choose: (choice: Choice) => void }[],
  ) => Engine;
}

function load(): NativeModule {
  const name = platformPackage();
  try {
    return require(`${name}/offcut.node`) as NativeModule;
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new OffcutError(
      `the native module of this platform cannot be loaded: install ${name}, or build it (see the README): ${why}`,
      "no_native_module",
    );
  }
}

/** The native module. */
export const native = load();

/** What was told, where it is no failure. */
export function succeeded(told: Told): Told {
  if (told.code !== undefined) {
    throw new OffcutError(told.text ?? told.code, told.code);
  }
  return told;
}

/** What a native call returns; its exceptions as ours. */
export function calling<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") {
      throw new OffcutError(error.message, error.code === "InvalidArg" ? "bad_argument" : error.code);
    }
    throw error;
  }
}
