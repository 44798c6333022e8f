import { Session } from "node:inspector/promises";

/** The share of one function in the CPU time of a process. */
export type FunctionTime = {
  /** The function's name and where it is defined. */
  readonly name: string;
  /** CPU time in the function itself, without the functions that it called. */
  readonly selfMs: number;
};

/** A running CPU profile of this process. `stop` returns the functions, longest self time first. */
export type CpuProfile = { stop(): Promise<FunctionTime[]> };

/** Starts to sample this process with V8's profiler every millisecond. */
export async function startCpuProfile(): Promise<CpuProfile> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 1_000 });
  await session.post("Profiler.start");
  return {
    async stop() {
      const { profile } = await session.post("Profiler.stop");
      session.disconnect();
      return sumByFunction(profile as Profile);
    },
  };
}

/** The fields of V8's profile that this module reads. Times are in microseconds. */
type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
};

/** V8's names for samples during which the process waited and ran no JavaScript. */
const waiting = new Set(["(idle)", "(root)"]);

/** Adds up the time between samples for each function. A function can have several nodes, one per call path. */
function sumByFunction({ nodes, samples = [], timeDeltas = [] }: Profile): FunctionTime[] {
  const nameOfNode = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const microseconds = new Map<string, number>();
  for (const [index, node] of samples.entries()) {
    const name = nameOfNode.get(node) as string;
    if (waiting.has(name)) continue;
    microseconds.set(name, (microseconds.get(name) ?? 0) + (timeDeltas[index] as number));
  }
  return [...microseconds]
    .map(([name, time]) => ({ name, selfMs: time / 1000 }))
    .sort((a, b) => b.selfMs - a.selfMs);
}

function nameOf({ functionName, url, lineNumber }: Profile["nodes"][0]["callFrame"]): string {
  const place = url.split("/").slice(-2).join("/");
  const name = functionName || "(anonymous)";
  return place === "" ? name : `${name} ${place}:${lineNumber + 1}`;
}
