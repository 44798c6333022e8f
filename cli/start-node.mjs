// Starts a script with the Node that Florin is tested with. `tools/run.mjs` uses this file in the repository, and
// `launch.mjs` uses it in the npm package.
//
// Plain JavaScript without dependencies, because this file runs under any installed version of Node, and before the
// packages are installed.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname } from "node:path";

/** Exits if this version of Node is too old to start Florin. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  stop(
    `Florin needs Node 20.19 or newer to start, and this is Node ${process.versions.node}. ` +
      "Install a newer version from https://nodejs.org and try again.",
  );
}

/** Returns the environment of the script. Both arguments are paths: to the Node binary and to its compile cache. */
export function environmentFor(node, compileCache) {
  return {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache,
    // One thread does nearly all the work. By default, glibc keeps a heap for each of the other threads, about 20 MB.
    MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2",
  };
}

/** Runs the command in a child process, forwards signals to it, and exits with its exit code. */
export function runInChild(node, command, environment) {
  // Ctrl-C in a terminal also reaches the child process directly. A forwarded second signal would abort it.
  const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  let stopping = false;
  // The handlers are installed first. A signal between the spawn and the handlers would end only this process, and the
  // child would continue without it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (stopping || (signal === "SIGINT" && terminal)) return;
      stopping = true;
      child.kill(signal);
    });
  }
  const child = spawn(node, command, { stdio: "inherit", env: environment });
  child.once("error", (error) =>
    stop(
      `${node} could not be started (${error.message}). Check that the file exists and can be executed.`,
    ),
  );
  child.once("exit", (code, signal) => process.exit(signal ? exitCodeOf(signal) : code));
}

/** Returns the exit code that a shell reports for a process ended by a signal. */
export function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}

export function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

export function stop(sentence, code = 1) {
  say(sentence);
  process.exit(code ?? 1);
}
