import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { GeneratedLoad } from "./generator.ts";
import type { LoadResult } from "./load.ts";

export async function runGenerator(load: GeneratedLoad): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, "generator.ts"), [JSON.stringify(load)]);
  const ended = once(child, "exit");
  const [result] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => {
      throw new Error(`The load generator ended with ${code} and without a result`);
    }),
  ])) as [LoadResult];
  // The CPU time of a child is known after its end.
  await ended;
  return result;
}
