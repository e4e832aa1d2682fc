// What the tests have in common.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The project that the package is built from. */
export const PROJECT = process.env.PROJECT_DIR;

/** The line that a model must see. */
export const PLANTED = "error: disk /dev/sda7 is full";

/** A log of 10,001 lines with one that matters in the middle. */
export const LINES = Array.from(
  { length: 10_000 },
  (_, n) => `12:00:${String(n % 60).padStart(2, "0")} INFO worker ${n} finished its part\n`,
);
LINES.splice(5000, 0, `${PLANTED}\n`);
export const LOG = LINES.join("");

/** A directory that goes when the test ends. */
export function directory(t) {
  const path = mkdtempSync(join(tmpdir(), "offcut-node-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
