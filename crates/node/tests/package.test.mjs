// What the package says about itself agrees with the project that it is built from.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";

import * as offcut from "offcut";

import { PROJECT } from "./common.mjs";

const require = createRequire(import.meta.url);
const read = (...path) => readFileSync(join(PROJECT, ...path), "utf8");

/** The versions of each package in a lock file. */
function locked(text) {
  const found = new Map();
  for (const [, name, version] of text.matchAll(/^name = "(.+)"\nversion = "(.+)"/gm)) {
    found.set(name, [...(found.get(name) ?? []), version]);
  }
  return found;
}

test("it has the project's version everywhere", () => {
  const [, version] = /\[workspace.package\]\nversion = "(.+)"/.exec(read("Cargo.toml"));
  const [main, platform] = ["package.json", "platform/package.json"].map((name) => JSON.parse(read("crates/node", name)));
  assert.deepEqual([offcut.version, main.version, platform.version], [version, version, version]);
  assert.equal(main.optionalDependencies[platform.name], version);
});

test("it is built with the project's dependencies", () => {
  const [mine, projects] = [locked(read("crates/node/Cargo.lock")), locked(read("Cargo.lock"))];
  const differing = [...mine].filter(([name, versions]) => !versions.every((v) => (projects.get(name) ?? versions).includes(v)));
  assert.deepEqual(differing, [], "copy Cargo.lock to crates/node and run `cargo check` there");
  const own = [...mine.keys()].filter((name) => !projects.has(name) && !name.startsWith("napi"));
  assert.deepEqual(own.sort(), ["convert_case", "ctor", "libloading", "nohash-hasher", "offcut-node", "unicode-segmentation"]);
});

test("`require` gives the same objects as `import`", () => {
  const required = require("offcut");
  const names = Object.keys(required).filter((name) => name !== "__esModule");
  assert.deepEqual(names.sort(), Object.keys(offcut).filter((name) => !["default", "module.exports"].includes(name)).sort());
  assert.ok(names.every((name) => required[name] === offcut[name]));
});

test("a report is typed with all its fields", () => {
  const struct = read("crates/core/src/report.rs").split("pub struct Report {")[1].split("\n}")[0];
  const fields = [...struct.matchAll(/^    pub (\w+):/gm)].map(([, name]) => name);
  const typed = read("crates/node/ts/reply.cts").split("export interface Report {")[1].split("\n}")[0];
  assert.deepEqual([...typed.matchAll(/^  (\w+)\??:/gm)].map(([, name]) => name).sort(), fields.sort());
});

test("the native module has what its types say, and nothing else", () => {
  const native = require(`${require("../node_modules/offcut/dist/platform.cjs").platformPackage()}/offcut.node`);
  const source = read("crates/node/ts/native.cts");
  const members = (name) => {
    const body = source.split(`export interface ${name} {`)[1].split("\n}")[0];
    return [...body.matchAll(/^  (?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member).sort();
  };
  for (const name of ["Engine", "Intake", "Question", "Choice"]) {
    const has = Object.getOwnPropertyNames(native[name].prototype).filter((member) => member !== "constructor");
    assert.deepEqual(has.sort(), members(name), name);
  }
});

test("adapters are imported only when asked for", () => {
  const loaded = "const { cutSync } = require('offcut'); cutSync('x'); console.log(Object.keys(require.cache).join('\\n'))";
  const told = execFileSync(process.execPath, ["-e", loaded], { encoding: "utf8", timeout: 60_000 });
  assert.ok(told.trim().split("\n").every((path) => /node_modules\/@?offcut\//.test(path)), told);
});

test("nothing is printed that nobody asked for, and Node ends by itself", () => {
  const script = "const { Offcut } = require('offcut'); const oc = new Offcut({ strategies: { first: () => [1] } });";
  const run = `${script} oc.getArtifact({ id: '!!' }).then((text) => console.log(text.slice(0, 6)))`;
  const told = execFileSync(process.execPath, ["-e", run], { encoding: "utf8", timeout: 60_000, stdio: "pipe" });
  assert.equal(told, "error:\n");
});
