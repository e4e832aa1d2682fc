import type { Choice } from "./native.cjs";
import { calling } from "./native.cjs";

/** A line, or a first and a last one, counted from 1; and why, where there is something to say. */
export type LineRange = number | readonly [first: number, last: number] | readonly [first: number, last: number, why: string];

/** The lines that a strategy wants shown; nothing says that it does not apply to this output. */
export type ChosenLines = Iterable<LineRange> | null | undefined;

/**
 * Chooses what to show: gets a document and the room in characters, returns lines, the most important first. As many as
 * fit are shown, in the order of the document.
 */
export type Strategy = (document: Document, room: number) => ChosenLines | Promise<ChosenLines>;

const LINES_AT_ONCE = 4096;

// Only LF, CRLF and CR end a line.
const LINE = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g;

/** A cleaned output while it is being cut. Iterating gives its lines, with their line ends, in bounded memory. */
export class Document implements Iterable<string> {
  #choice: Choice;

  /** @internal */
  constructor(choice: Choice) {
    this.#choice = choice;
  }

  /** How many lines it has. */
  get lines(): number {
    return this.#choice.lines;
  }

  /** How many characters it has. */
  get chars(): number {
    return this.#choice.chars;
  }

  /** What it looks like: `log`, `test`, `json`, … */
  get kind(): string {
    return this.#choice.kind;
  }

  /** The text of lines `first` to `last`, counted from 1, the last one included. */
  read(first = 1, last = this.lines): string {
    return calling(() => this.#choice.read(first, last));
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let first = 1; first <= this.lines; first += LINES_AT_ONCE) {
      yield* this.read(first, Math.min(first + LINES_AT_ONCE - 1, this.lines)).match(LINE) ?? [];
    }
  }
}

/** `strategy` as the native module calls it. */
export function nativeStrategy(strategy: Strategy): (choice: Choice) => void {
  const chosen = async (choice: Choice): Promise<string> => {
    const wanted = await strategy(new Document(choice), choice.room);
    return JSON.stringify(wanted ? Array.from(wanted, three) : null);
  };
  return (choice) => {
    chosen(choice).then(
      (lines) => choice.choose(lines),
      (error: unknown) => choice.fail(String(error)),
    );
  };
}

function three(range: LineRange): [number, number, string] {
  return typeof range === "number" ? [range, range, "chosen"] : [range[0], range[1], range[2] ?? "chosen"];
}
