import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteCollector } from "./byte-collector.ts";

/** Sizes of chunks on both sides of every limit of the collector. */
const sizes = [1, 2, 700, 1023, 1024, 1025, 16_383, 16_384, 16_385];

/** Returns chunks of these sizes. Each byte is one higher than the previous byte, modulo 251. */
function chunksOf(chunkSizes: readonly number[]): Buffer[] {
  let next = 0;
  return chunkSizes.map((size) => Buffer.from(Array.from({ length: size }, () => next++ % 251)));
}

test("chunks of any size are returned in order, and each byte is passed to `onPiece` once", () => {
  const mixed = sizes.flatMap((one) => sizes.flatMap((other) => [one, other, 1]));
  for (const chunkSizes of [[], [1], [5], [1, 1], mixed, Array<number>(40_000).fill(1)]) {
    const passed: Buffer[] = [];
    const collector = new ByteCollector((piece) => passed.push(Buffer.from(piece)));
    const expected = Buffer.concat(chunksOf(chunkSizes));
    for (const chunk of chunksOf(chunkSizes)) collector.append(chunk);
    assert.equal(collector.length, expected.length);
    assert.ok(collector.concat().equals(expected));
    assert.ok(Buffer.concat(passed).equals(expected));
  }
});

test("the result shares no memory with the chunks", () => {
  for (const count of [1, 3]) {
    const chunks = Array.from({ length: count }, () => Buffer.from("4242424242424242"));
    const collector = new ByteCollector();
    for (const chunk of chunks) collector.append(chunk);
    const bytes = collector.concat();
    for (const chunk of chunks) chunk.fill(0);
    assert.equal(String(bytes), "4242424242424242".repeat(count));
  }
});

test("small chunks are copied into few pieces", () => {
  for (const size of [1, 10, 1000]) {
    let pieces = 0;
    const collector = new ByteCollector(() => {
      pieces += 1;
    });
    const chunk = Buffer.alloc(size, "x");
    while (collector.length < 1_000_000) collector.append(chunk);
    assert.ok(collector.concat().every((byte) => byte === 0x78));
    assert.ok(pieces < 100, `${pieces} pieces of chunks of ${size} bytes`);
  }
});
