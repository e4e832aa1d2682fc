#!/usr/bin/env node
// `npx offcut …`: becomes the command `offcut` that the platform's package carries.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { platformPackage } from "./platform.cjs";

const SIGNALS: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

function command(): string {
  const name = platformPackage();
  try {
    return require.resolve(`${name}/offcut${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    process.stderr.write(`error: the command \`offcut\` is in ${name}, which is not installed\nhint: cargo install offcut\n`);
    process.exit(1);
  }
}

function run(path: string, words: string[]): void {
  const child = spawn(path, words, { stdio: "inherit" });
  for (const signal of SIGNALS) {
    // What is typed at a terminal reaches the command by itself; a second one would be taken for impatience.
    const typed = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
    process.on(signal, () => typed || child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`error: ${path}: ${error.message}\n`);
    process.exit(126);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exit(code ?? 1);
    }
    // Whoever waits for us is to see the same end.
    SIGNALS.forEach((name) => process.removeAllListeners(name));
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
}

const [path, words] = [command(), process.argv.slice(2)];
const { execve } = process as { execve?: (file: string, words: string[], environment: NodeJS.ProcessEnv) => never };
if (execve) {
  execve(path, [path, ...words], process.env);
} else {
  run(path, words);
}
