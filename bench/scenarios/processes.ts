import type { Environment } from "../environment.ts";
import type { Run } from "../measurement.ts";
import { measureCharges, measureWholeSystem } from "./charges.ts";
import type { Scenario } from "./scenario.ts";

/** The scenarios for `--processes`: charges with several server processes, to compare with those of a single one. */
export function processScenarios(processes: number): Scenario[] {
  return [
    ...[64, 256].map((connections) => ({
      name: `charges alone, ${processes} processes, ${connections} connections`,
      measure: async (environment: Environment, run: Run) =>
        measureCharges(environment, await environment.serverOf(processes), connections, run),
    })),
    {
      name: `whole system, ${processes} processes, 256 connections`,
      measure: async (environment, run) => {
        const server = await environment.serverOf(processes);
        return measureWholeSystem(environment, server, [server.listener], 256, run);
      },
    },
    {
      name: `charges, ${processes} processes, open loop at 3,000/s`,
      measure: async (environment, run) =>
        measureCharges(environment, await environment.serverOf(processes), 128, run, {
          rate: 3_000,
        }),
    },
  ];
}
