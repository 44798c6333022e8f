import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
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

type End = { readonly end: number | NodeJS.Signals; readonly output: string };

/** Runs the fixture. A process that hangs ends with SIGTERM. */
async function run(way: string, flags: readonly string[] = fullHeap): Promise<End> {
  const child = spawn(process.execPath, [...flags, fixture, way], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    timeout: slowed(20_000),
  });
  assert(child.stdout && child.stderr);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await once(child, "exit");
  return { end: signal ?? code, output: (await output).join("") };
}

test("a process ends with its exit code while V8 compiles functions and the heap is full", async () => {
  const ends = await Promise.all([run("end"), run("end"), run("end with 3")]);
  assert.deepEqual(
    ends.map(({ end }) => end),
    [0, 0, 3],
  );
  for (const { output } of ends) assert.equal(output, "nothing is open\n");
});

test("a process with an open timer ends too", async () => {
  assert.deepEqual(await run("end with an open timer", []), { end: 3, output: "" });
});

test("an open channel to the parent process does not delay the end", async () => {
  const { end, output } = await run("end with a channel");
  assert.deepEqual([end, output], [0, "nothing is open\n"]);
});

test("an unhandled error is printed and ends the process, while V8 compiles functions and the heap is full", async () => {
  for (const { end, output } of await Promise.all([run("throw"), run("throw"), run("throw")])) {
    assert.equal(end, "SIGKILL");
    assert.match(output, /^Error: an unhandled error\n/);
  }
});
