/** The stages of a charge, in their order. Together they take all the time from the request to the response. */
export const chargeStages = [
  "receive",
  "prepare",
  "insert",
  "authorize",
  "record",
  "respond",
] as const;

export type ChargeStage = (typeof chargeStages)[number];

/**
 * Measures the consecutive stages of a request. Each stage lasts from the end of the previous one, so waits for the
 * event loop, for a batch and for the database count toward the stage in which they occur.
 */
export class Stages {
  readonly ended: { readonly stage: ChargeStage; readonly seconds: number }[] = [];
  #endedAt = performance.now();

  /** Ends the current stage and starts the next one. */
  end(stage: ChargeStage): void {
    const now = performance.now();
    this.ended.push({ stage, seconds: (now - this.#endedAt) / 1000 });
    this.#endedAt = now;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set for a POST, if the process collects metrics. */
    stages: Stages | null;
  }
}
