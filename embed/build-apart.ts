import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { EmbedBuild } from "./build.ts";

/** The same build in a process of its own: a server that runs for months need not keep the builder's 12 MB. */
export async function buildEmbedApart({ outdir }: { outdir: string }): Promise<EmbedBuild> {
  const child = fork(join(import.meta.dirname, "build-process.ts"), [outdir]);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The embed's build ended with ${code}; its own words stand above.`);
  });
  const [built] = (await Promise.race([once(child, "message"), ended])) as [EmbedBuild];
  return built;
}
