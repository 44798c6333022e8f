#!/usr/bin/env node
// Starts `florin` from the npm package, as in `npx florin start`, with the version of Node that Florin is tested with.
// The package depends on this version.
//
// Plain JavaScript, because this file and `start-node.mjs` must run under any installed version of Node.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { environmentFor, requireNode, runInChild, stop } from "./start-node.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

requireNode();
const node = findNode();
const script = join(root, "cli/florin.js");
const command = [...read("cli/node-flags.json"), script, ...process.argv.slice(2)];
const environment = environmentFor(node, join(root, ".cache"));
// Node replaces this process if the platform supports it. Signals then reach the service directly.
if (process.execve) process.execve(node, [node, ...command], environment);
runInChild(node, command, environment);

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
    `Node for ${process.platform}-${process.arch} is not installed. Install the package again without --omit=optional.`,
  );
}
