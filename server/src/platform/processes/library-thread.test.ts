import assert from "node:assert/strict";
import { test } from "node:test";
import { slowed } from "../../../test/slowness.ts";
import type { TestLibrary } from "./library-thread.fixture.ts";
import { CallLimitExceeded, createLibraryThread } from "./library-thread.ts";

const file = new URL("./library-thread.fixture.ts", import.meta.url);

/** Less than the 1.5 seconds that the library takes to load. */
const timeoutMs = 1_000;

test("a call returns or throws, although the library takes longer to load than a call may take", async () => {
  const call = createLibraryThread<TestLibrary>({ file, name: "test", timeoutMs });
  assert.equal(await call("double", 21), 42);
  await assert.rejects(call("fail", undefined), /The argument is not valid/);
});

test("a call that does not return fails alone, and the calls behind it run", async () => {
  const call = createLibraryThread<TestLibrary>({
    file,
    name: "test",
    timeoutMs: slowed(timeoutMs),
  });
  const calls = await Promise.allSettled([
    call("double", 1),
    call("loop", undefined),
    call("double", 2),
    call("double", 3),
  ]);
  assert.deepEqual(
    calls.map((one) => (one.status === "fulfilled" ? one.value : one.reason.constructor)),
    [2, CallLimitExceeded, 4, 6],
  );
});

test("a call that exceeds the memory limit fails alone, and the calls behind it run", async () => {
  const call = createLibraryThread<TestLibrary>({
    file,
    name: "test",
    timeoutMs: slowed(30_000),
    maxHeapMb: 32,
  });
  const calls = await Promise.allSettled([call("fillMemory", undefined), call("double", 2)]);
  assert.deepEqual(
    calls.map((one) => (one.status === "fulfilled" ? one.value : one.reason.constructor)),
    [CallLimitExceeded, 4],
  );
});

test("if the library cannot be loaded, all calls fail", async () => {
  const call = createLibraryThread<TestLibrary>({
    file: new URL("./missing.ts", file),
    name: "test",
    timeoutMs,
  });
  const calls = await Promise.allSettled([call("double", 1), call("double", 2)]);
  assert.ok(calls.every((one) => one.status === "rejected" && /missing/.test(one.reason.message)));
});

test("a call that arrives while the idle thread ends runs in a new thread", async () => {
  const call = createLibraryThread<TestLibrary>({
    file,
    name: "test",
    timeoutMs: slowed(30_000),
    idleMs: 1,
  });
  assert.equal(await call("double", 1), 2);
  // Blocks the main thread until the idle timer is due. The next timer makes a call before the thread has exited.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  const later = new Promise((resolve, reject) => {
    setTimeout(() => call("double", 2).then(resolve, reject), 0);
  });
  assert.equal(await later, 4);
});
