import type { Measurement, Run } from "../measurement.ts";
import type { Stage } from "../stage.ts";

export type Scenario = {
  readonly name: string;
  /** True where no goal hangs on it: it is measured in the first round only, which keeps the whole short. */
  readonly once?: true;
  readonly measure: (stage: Stage, run: Run) => Promise<Measurement>;
};
