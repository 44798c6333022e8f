import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const module = pathToFileURL(join(import.meta.dirname, "start-node.mjs"));

/** A shell script that sends SIGTERM to its parent process as soon as it runs, and exits with 7 if it receives SIGTERM. */
const script = "trap 'exit 7' TERM; kill -TERM $PPID; for _ in 1 2 3 4 5 6; do sleep 0.5; done";

test("a stop signal that arrives as soon as the child process runs reaches the child", async () => {
  // `spawn` returns late, so that the signal arrives before the next statement of `runInChild`.
  const code = `import childProcess from "node:child_process";
    import { syncBuiltinESMExports } from "node:module";
    const { spawn } = childProcess;
    childProcess.spawn = (...parameters) => {
      const child = spawn(...parameters);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      return child;
    };
    syncBuiltinESMExports();
    const { runInChild } = await import(${JSON.stringify(module)});
    runInChild("/bin/sh", ["-c", ${JSON.stringify(script)}], process.env);`;
  const launcher = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: "ignore",
  });
  assert.deepEqual(await once(launcher, "exit"), [7, null]);
});
