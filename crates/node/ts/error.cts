/** Something that Offcut could not do: a sentence, with a code for programs. */
export class OffcutError extends Error {
  /** The word for programs: `bad_argument`, `bad_option`, `not_found`, `unreadable`, … */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = "OffcutError";
    this.code = code;
  }
}
