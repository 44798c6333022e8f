import { parseArgs } from "node:util";
import { startCrashingServer } from "./crashing-environment.ts";
import { startServer } from "./environments.ts";
import { playSequences } from "./sequences.ts";

/**
 * Runs sequences in one setup, in a separate process without the state checks of the test suite: `node
 * server/test/simulation/model/play.ts --environment calm --sequences 20000 --seed 7`. Exits with 1 if the service differed
 * from its model, and prints the shortest sequence that shows it.
 */
const { values } = parseArgs({
  options: {
    environment: { type: "string", default: "calm" },
    sequences: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "128" },
    "end-at-first": { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const environments = {
  calm: () => startServer(null),
  stormy: () => startServer(seed),
  crashing: () => startCrashingServer(seed),
};
const open = environments[values.environment as keyof typeof environments];
if (!open) throw new Error(`There is no environment '${values.environment}'.`);

const opened = await open();
const started = performance.now();
try {
  const sequences = Number(values.sequences);
  const concurrent = Number(values["at-once"]);
  const endAtFirst = values["end-at-first"];
  const { steps } = await playSequences(opened.environment, {
    sequences,
    seed,
    immediate: concurrent,
    endAtFirst,
  });
  const happened = await opened.check();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${sequences} sequences of ${steps} steps in ${seconds} s; ${happened}`);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await opened.close();
}
