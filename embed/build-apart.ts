import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { EmbedBuild } from "./build.ts";

/** Runs the build in a child process, because the server runs for months and does not need the builder's 12 MB. */
export async function buildEmbedApart({ outdir }: { outdir: string }): Promise<EmbedBuild> {
  const child = fork(join(import.meta.dirname, "build-process.ts"), [outdir]);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The embed's build ended with ${code}; its own words stand above.`);
  });
  const [built] = (await Promise.race([once(child, "message"), ended])) as [EmbedBuild];
  return built;
}
