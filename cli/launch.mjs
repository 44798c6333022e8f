#!/usr/bin/env node
// Starts `florin` from the npm package with the version of Node that Florin is tested with, which is a dependency of the
// package:
//
//   npx florin start
//
// Plain JavaScript, because this file alone must run under any installed version of Node.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stop(
    `Florin needs Node 20.19 or newer to start, and this is Node ${process.versions.node}. ` +
      "Install a newer one from https://nodejs.org and try again.",
  );
}

const node = findNode();
const script = join(root, "cli/florin.js");
const command = [...read("cli/node-flags.json"), script, ...process.argv.slice(2)];
const environment = {
  ...process.env,
  PATH: `${dirname(node)}${process.platform === "win32" ? ";" : ":"}${process.env.PATH ?? ""}`,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".cache"),
  // One thread does nearly all the work. By default, glibc keeps a heap for each of the other threads, about 20 MB.
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2",
};
// The process replaces itself where it can. Signals then reach the service directly.
if (process.execve) process.execve(node, [node, ...command], environment);

const child = spawn(node, command, { stdio: "inherit", env: environment });
// Ctrl-C in a terminal reaches the service directly, and a second signal would abort it.
const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (stopping || (signal === "SIGINT" && terminal)) return;
    stopping = true;
    child.kill(signal);
  });
}
child.once("error", (error) => stop(`${node} could not be started: ${error.message}`));
child.once("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));

/** Returns the Node of this platform, which npm installs as an optional dependency. */
function findNode() {
  const { resolve } = createRequire(import.meta.url);
  for (const name of Object.keys(read("package.json").optionalDependencies).filter((name) =>
    name.startsWith("node-"),
  )) {
    try {
      const file = resolve(`${name}/package.json`);
      const { bin } = JSON.parse(readFileSync(file, "utf8"));
      return join(dirname(file), bin.node);
    } catch {
      // The package of another platform is not installed.
    }
  }
  return stop(
    `No Node for ${process.platform}-${process.arch} is installed. Install the package again without --omit=optional.`,
  );
}

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
