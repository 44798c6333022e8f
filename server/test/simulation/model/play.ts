import { parseArgs } from "node:util";
import { startCrashingServer } from "./crashing-environment.ts";
import { startServer } from "./environments.ts";
import { playSequences } from "./sequences.ts";

/**
 * Runs sequences in one environment, in a process without the transition triggers of the test suite:
 *
 *     node server/test/simulation/model/play.ts --environment stable --sequences 20000 --seed 7
 *
 * If the service differs from its model, prints the shortest sequence that shows the difference and exits with 1.
 */
const { values } = parseArgs({
  options: {
    environment: { type: "string", default: "stable" },
    sequences: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    concurrency: { type: "string", default: "128" },
    "end-at-first": { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const environments = {
  stable: () => startServer(null),
  disconnecting: () => startServer(seed),
  crashing: () => startCrashingServer(seed),
  processes: () => startCrashingServer(seed, 4),
};
const start = environments[values.environment as keyof typeof environments];
if (!start) throw new Error(`There is no environment '${values.environment}'.`);

const started = await start();
const startedAt = performance.now();
try {
  const sequences = Number(values.sequences);
  const concurrency = Number(values.concurrency);
  const endAtFirst = values["end-at-first"];
  const { steps } = await playSequences(started.environment, {
    sequences,
    seed,
    concurrency,
    endAtFirst,
  });
  const summary = await started.check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${sequences} sequences of ${steps} steps in ${seconds} s; ${summary}`);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await started.close();
}
