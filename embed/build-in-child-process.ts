import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { EmbedBuild } from "./build.ts";

/**
 * Runs the build in a child process, so that the bundler's 12 MB do not stay in the memory of the long-running server.
 */
export async function buildEmbedInChildProcess({
  outdir,
}: {
  outdir: string;
}): Promise<EmbedBuild> {
  const child = fork(join(import.meta.dirname, "build-child.ts"), [outdir]);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The embed build failed with exit code ${code}. Its output is above.`);
  });
  const [built] = (await Promise.race([once(child, "message"), ended])) as [EmbedBuild];
  return built;
}
