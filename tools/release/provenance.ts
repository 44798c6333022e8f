import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "../source-tree.ts";

/**
 * Returns an in-toto statement (v1) with SLSA provenance (v1): the digests of the packages, and of everything from
 * which they were built. The statement contains no times, so that two builds of one commit produce the same statement.
 * The statement is not signed. The publisher of the packages signs it with their own key, for example with `cosign
 * sign-blob`.
 */
export function provenance(files: readonly string[], commit: string) {
  const lockfile = join(root, "package-lock.json");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: files.map((file) => ({
      name: basename(file),
      digest: { sha256: digest("sha256", file), sha512: digest("sha512", file) },
    })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://florin.invalid/npm-pack/v1",
        externalParameters: { command: "npm run pack" },
        internalParameters: { node: process.versions.node, zlib: process.versions.zlib },
        resolvedDependencies: [
          { uri: "git+file:florin", digest: { gitCommit: commit } },
          { uri: "file:package-lock.json", digest: { sha256: digest("sha256", lockfile) } },
        ],
      },
      runDetails: { builder: { id: "https://florin.invalid/local-build" } },
    },
  } as const;
}

export function digest(algorithm: "sha256" | "sha512", file: string): string {
  return createHash(algorithm).update(readFileSync(file)).digest("hex");
}
