import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { slowed } from "../../../test/slowness.ts";

const fixture = fileURLToPath(new URL("./end-process.fixture.ts", import.meta.url));

/** With these flags, `process.exit` in the fixture hangs nearly always. */
const fullHeap = [
  "--max-old-space-size=32",
  "--max-semi-space-size=1",
  "--concurrent-recompilation-delay=300",
];

/** Returns the exit code or the signal, which is SIGKILL if the process does not end in time. */
async function endOf(flags: readonly string[], ...arguments_: string[]): Promise<number | string> {
  const child = spawn(process.execPath, [...flags, fixture, ...arguments_], {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: slowed(20_000),
    killSignal: "SIGKILL",
  });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

test("a process ends with its exit code while V8 compiles functions and the heap is full", async () => {
  const ends = await Promise.all(["0", "0", "3"].map((code) => endOf(fullHeap, code)));
  assert.deepEqual(ends, [0, 0, 3]);
});

test("a process with an open timer ends too", async () => {
  assert.equal(await endOf([], "3", "open"), 3);
});
