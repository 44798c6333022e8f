import { serveLibraryThread } from "./serve-library-thread.ts";

/** Runs in a worker thread, for `library-thread.test.ts`. Takes longer to load than the time limit of a call. */
const library = {
  double: (value: number) => 2 * value,
  loop(): never {
    for (;;);
  },
  fillMemory(): never {
    const filled: number[][] = [];
    for (;;) filled.push(new Array(100_000).fill(0));
  },
  fail() {
    throw new Error("The argument is not valid.");
  },
};

export type TestLibrary = typeof library;

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);

serveLibraryThread(library);
