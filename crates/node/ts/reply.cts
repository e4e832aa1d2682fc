import { inspect } from "node:util";

import type { Told } from "./native.cjs";

/** The facts about one reply, as `docs/report.md` describes them. What is not known, or zero, may be absent. */
export interface Report {
  version: number;
  was_truncated: boolean;
  truncated_size: number;
  content_type: string;
  kind: string;
  kind_confidence: number;
  kind_reason: string;
  omitted_lines: number;
  omitted_characters: number;
  kept: [first: number, last: number][];
  artifact_created: boolean;
  duration_us: number;
  compacted?: boolean;
  original_size?: number;
  original_bytes?: number;
  original_lines?: number;
  original_tokens?: number;
  truncated_tokens?: number;
  strategy?: string;
  omitted_elements?: number;
  omission_summary?: string;
  limit?: string;
  artifact_id?: string;
  artifact_handle?: string;
  artifact_path?: string;
  notice?: string;
  redactions?: Record<string, number>;
  overwritten_characters?: number;
  overwritten_artifact_id?: string;
  earlier_artifact_id?: string;
  escaped_characters?: number;
  degraded?: string[];
  is_error?: boolean;
}

/** The answer to one output. `String(reply)` is the text for the model: the output as it came where that fits. */
export class Reply {
  /** The text for the model. */
  readonly text: string;
  #facts: string;
  #report: Report | undefined;

  /** @internal */
  constructor(told: Told) {
    this.text = told.text ?? "";
    this.#facts = told.facts ?? "{}";
  }

  /** The facts about the reply: sizes, kind, strategy, what was left out. */
  get report(): Report {
    this.#report ??= JSON.parse(this.#facts) as Report;
    return this.#report;
  }

  /** Whether anything of the output is not in the text. */
  get wasTruncated(): boolean {
    return this.report.was_truncated;
  }

  /** What to ask for the whole output by; absent where the text is the whole output, or it could not be kept. */
  get handle(): string | undefined {
    return this.report.artifact_handle ?? this.report.artifact_id;
  }

  /** The lines that are shown: first and last of each run, counted from 1. */
  get kept(): [first: number, last: number][] {
    return this.report.kept;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): { text: string; report: Report } {
    return { text: this.text, report: this.report };
  }

  [inspect.custom](): string {
    const what = this.wasTruncated ? "cut" : "whole";
    return `Reply { ${what}, ${this.text.length} characters, handle: ${this.handle ?? "none"} }`;
  }
}
