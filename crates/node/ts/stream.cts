import { Transform, type TransformCallback } from "node:stream";

import { OffcutError } from "./error.cjs";
import { type Intake, succeeded } from "./native.cjs";
import { Reply } from "./reply.cjs";

// A trip to another thread is worth it for so many bytes.
const BLOCK = 64 * 1024;

/**
 * A stream to write an output to, in whatever chunks it comes: `source.pipe(stream)`. `await stream.reply` is the reply
 * when the output has ended; who reads from the stream gets its text. Memory stays bounded, however much is written.
 */
export class CutStream extends Transform {
  /** The reply. It is rejected where the stream is destroyed before the output's end. */
  readonly reply: Promise<Reply>;
  #settle!: { resolve: (reply: Reply) => void; reject: (error: unknown) => void };
  #intake: Intake;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #taken = 0;
  #full = false;

  /** @internal */
  constructor(intake: Intake) {
    super();
    this.#intake = intake;
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Who does not ask for the reply need not hear of its error: the stream emits it as well.
    this.reply.catch(() => {});
  }

  /** Bytes taken in so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether the maximum size was reached: what comes now is counted and dropped, and whoever writes may stop. */
  get full(): boolean {
    return this.#full;
  }

  /** @internal */
  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#taken += chunk.length;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes < BLOCK) {
      callback();
      return;
    }
    this.#write().then(() => callback(), callback);
  }

  /** @internal */
  override _flush(callback: TransformCallback): void {
    this.#finish().then((reply) => callback(null, reply.text), callback);
  }

  /** @internal */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#settle.reject(error ?? new OffcutError("the stream was destroyed before the output's end", "closed"));
    callback(error);
  }

  async #write(): Promise<void> {
    const [only] = this.#waiting;
    const block = this.#waiting.length === 1 && only ? only : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const told = succeeded(await this.#intake.write(block));
    this.#full ||= told.text === "full";
  }

  async #finish(): Promise<Reply> {
    if (this.#waitingBytes > 0) {
      await this.#write();
    }
    const reply = new Reply(succeeded(await this.#intake.finish()));
    this.#settle.resolve(reply);
    return reply;
  }
}
