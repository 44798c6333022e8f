import { WireBuffer } from "../database/wire-buffer.ts";

/** An encoded body, in memory that the next body reuses after `release`. */
export type BodyBytes = { readonly bytes: Buffer; release(): void };

/**
 * The maximum number of unused buffers that are kept for later bodies. Most responses are sent before the next one is
 * rendered.
 */
const maxFree = 8;

/**
 * Writes large bodies to buffers that are reused. A list of a hundred charges is 165 KB. Without reuse, each list would
 * allocate that memory outside the heap, and a new buffer makes V8 collect garbage earlier.
 */
export const bodyBuffers = createBodyBuffers();

export function createBodyBuffers() {
  const free: WireBuffer[] = [];

  return {
    /** Returns the bytes that `write` has written. They are not reused if the caller never releases them. */
    write(write: (body: WireBuffer) => void): BodyBytes {
      const buffer = free.pop() ?? new WireBuffer();
      buffer.restart();
      write(buffer);
      let isReleased = false;
      return {
        bytes: buffer.take(),
        release() {
          if (isReleased || free.length >= maxFree) return;
          isReleased = true;
          free.push(buffer);
        },
      };
    },
  };
}
