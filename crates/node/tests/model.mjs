// The scripted model: a program of its own that answers with the turns of a script and records what it is sent.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { PROJECT, directory } from "./common.mjs";

/** Where it is: `OFFCUT_TESTKIT`, or `shared/testkit` beside the project. */
function testkit() {
  const places = process.env.OFFCUT_TESTKIT ? [process.env.OFFCUT_TESTKIT] : [];
  for (let parent = dirname(PROJECT); ; parent = dirname(parent)) {
    places.push(join(parent, "shared", "testkit"));
    if (parent === dirname(parent)) {
      break;
    }
  }
  return places.map((place) => join(place, "fake_llm.py")).find((program) => existsSync(program));
}

/** Starts it for a test, which is skipped where it is not there; returns its address and what it was sent. */
export async function scriptedModel(t, script) {
  const program = testkit();
  if (!program) {
    t.skip("the scripted model (OFFCUT_TESTKIT) is not there");
    return undefined;
  }
  const place = directory(t);
  const [scriptFile, portFile] = [join(place, "script.json"), join(place, "port")];
  writeFileSync(scriptFile, JSON.stringify(script));
  const server = spawn("python3", [program, "serve", scriptFile, "--log", join(place, "log"), "--port-file", portFile], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  t.after(() => server.kill());
  for (let waited = 0; !(existsSync(portFile) && readFileSync(portFile, "utf8").trim()); waited += 20) {
    if (waited > 20_000) {
      throw new Error("the scripted model did not start");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const url = `http://127.0.0.1:${readFileSync(portFile, "utf8").trim()}`;
  const records = async () => (await fetch(`${url}/__fake__/requests`)).json();
  return { url, records, results: async () => (await records()).flatMap((record) => record.new_tool_results) };
}

/** A library of an adapter; the test is skipped where it is not installed. */
export async function library(t, name) {
  try {
    return await import(name);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND") {
      throw error;
    }
    t.skip(`${name} is not installed`);
    return undefined;
  }
}
