import type { Environment } from "../environment.ts";
import type { Measurement, Run } from "../measurement.ts";

export type Scenario = {
  readonly name: string;
  /** True if no goal depends on this scenario. It is then measured in the first round only, to shorten the run. */
  readonly once?: true;
  readonly measure: (environment: Environment, run: Run) => Promise<Measurement>;
};
