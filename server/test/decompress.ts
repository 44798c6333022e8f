import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** Returns a response's body without the encoding that its `content-encoding` header names. */
export function decompress(bytes: Buffer, encoding: unknown): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}
