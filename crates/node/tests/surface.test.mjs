// The table of what exists where tells the truth about this package, and leaves nothing out.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import * as offcut from "offcut";

import { PROJECT } from "./common.mjs";

const TYPESCRIPT = 3;
const rows = readFileSync(join(PROJECT, "docs/surface.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split(" | "));
assert.equal(rows[0][TYPESCRIPT], "TypeScript");
const names = rows.slice(2).flatMap((row) => [...row[TYPESCRIPT].matchAll(/`([^`]+)`/g)].map(([, name]) => name));

const declared = readFileSync(fileURLToPath(import.meta.resolve("offcut")).replace(/index\.mjs$/, "index.d.cts"), "utf8");
const types = [...declared.matchAll(/\btype (\w+)[,\s}]|export type \{([^}]+)\}/g)].flatMap(([, one, several]) =>
  one ? [one] : several.split(",").map((name) => name.trim().replace(/^type /, "")),
);

test("every name of the table exists, and every public name is in it", () => {
  const values = Object.keys(offcut).filter((name) => !["default", "module.exports"].includes(name));
  const members = Object.getOwnPropertyNames(offcut.Offcut.prototype).filter((name) => name !== "constructor");
  const exported = new Set([...values, ...types, ...members.map((name) => `Offcut.${name}`)]);
  assert.deepEqual([...new Set(names)].sort(), [...exported].sort());
});

test("what is declared as a value is one, and the other way round", () => {
  const functions = [...declared.matchAll(/^export declare (?:function|const|class) (\w+)/gm)].map(([, name]) => name);
  const forwarded = [...declared.matchAll(/^export \{([^}]+)\}/gm)]
    .flatMap(([, list]) => list.split(",").map((name) => name.trim()))
    .filter((name) => name !== "" && !name.startsWith("type "));
  assert.deepEqual([...new Set([...functions, ...forwarded])].sort(), Object.keys(offcut).filter((name) => !["default", "module.exports"].includes(name)).sort());
});
