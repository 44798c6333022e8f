import { brotliDecompressSync, gunzipSync } from "node:zlib";

/** Decodes the body of a response as its `content-encoding` header specifies. */
export function decompress(bytes: Buffer, encoding: unknown): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}
