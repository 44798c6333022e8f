import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { GeneratedLoad } from "./generator.ts";
import type { LoadResult } from "./load.ts";

export async function runGenerator(load: GeneratedLoad): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, "generator.ts"));
  child.send(load);
  const ended = once(child, "exit");
  const [result] = (await Promise.race([
    once(child, "message"),
    ended.then(([code]) => {
      throw new Error(`The load generator ended with ${code} and without a result`);
    }),
  ])) as [LoadResult];
  // The system adds the CPU time of a child process to that of its parent only after the child has ended.
  await ended;
  return result;
}
