import assert from "node:assert/strict";
import { decodePDFRawStream, PDFContext, PDFRawStream } from "@cantoo/pdf-lib";

/** The class that all decoded streams of the library extend. Every decoder calls `ensureBuffer` for more memory. */
type DecodedStream = {
  readonly buffer: Uint8Array;
  ensureBuffer(bytes: number): Uint8Array;
};

/**
 * The maximum total size of the decompressed object streams of one PDF. The library decodes only these streams. A file
 * of 1.5 MiB can decompress to gigabytes, and the heap limit of the thread does not include the decoded bytes.
 */
const maxDecodedBytes = 32 * 1024 * 1024;

let decodedBytes = 0;

/**
 * Calls `load`, and rejects if the PDF has too many decoded bytes. Only one PDF may be loaded at a time.
 *
 * @throws TooManyDecodedBytes
 */
export async function limitDecodedBytes<Result>(load: () => Promise<Result>): Promise<Result> {
  decodedBytes = 0;
  const result = await load();
  // The error of `ensureBuffer` does not arrive here, because the library skips an object that throws.
  if (decodedBytes > maxDecodedBytes) throw new TooManyDecodedBytes();
  return result;
}

export class TooManyDecodedBytes extends Error {}

// Replaces the method, because the library has no option for this limit.
const streams = streamPrototype();
const ensureBuffer = streams.ensureBuffer;
streams.ensureBuffer = function (this: DecodedStream, bytes: number): Uint8Array {
  const before = this.buffer.byteLength;
  const buffer = ensureBuffer.call(this, bytes);
  decodedBytes += buffer.byteLength - before;
  if (decodedBytes > maxDecodedBytes) throw new TooManyDecodedBytes();
  return buffer;
};

function streamPrototype(): DecodedStream {
  const dict = PDFContext.create().obj({ Filter: "FlateDecode" });
  const zlibHeader = Uint8Array.of(0x78, 0x9c);
  const stream = decodePDFRawStream(PDFRawStream.of(dict, zlibHeader));
  const prototype = Object.getPrototypeOf(Object.getPrototypeOf(stream));
  assert(Object.hasOwn(prototype, "ensureBuffer"), "the PDF library has no ensureBuffer");
  return prototype;
}
