/** The current time, injected so that a test can stop it and a merchant's test clock can move it. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** Returns the API's form of a time: whole unix seconds. */
export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
