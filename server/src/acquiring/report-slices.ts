import type { Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** The size of a slice: about 150 lines, which take a few milliseconds to parse. */
const sliceBytes = 32 * 1024;

/**
 * Returns the text of a report's file in slices and adds each slice to the hash. The event loop can run other work after
 * each slice.
 */
export async function* slicesOf(file: Buffer, hash: Hash): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (let from = 0; from < file.length; from += sliceBytes) {
    const slice = file.subarray(from, from + sliceBytes);
    hash.update(slice);
    // Keeps the first bytes of a character that continues in the next slice.
    yield decoder.decode(slice, { stream: true });
    await setImmediate();
  }
}
