/** Time is handed in, so that a test can stop it and a merchant's test clock can move it. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** The wire's form of time: whole unix seconds (contract: "times are integer unix seconds"). */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
