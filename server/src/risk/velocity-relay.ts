import type { Hub } from "../platform/processes/hub.ts";
import type { Siblings } from "../platform/processes/siblings.ts";
import type { HourlyTally, OnCount, Velocity } from "./velocity.ts";

const topic = "velocity: counts";

/**
 * The time for which counts are collected before they are sent to the other processes of the service. The merge through
 * Postgres runs every second. If processes exchanged counts only through Postgres, an attacker could make a second's
 * worth of attempts in each process.
 */
const collectMs = 100;

type Collected = { -readonly [Name in keyof HourlyTally]: HourlyTally[Name] };

/** Passes counts to the other processes of the service. */
export type VelocityRelay = {
  readonly count: OnCount;
  /** Adds the counts of the other processes to these counters. */
  deliverTo(velocity: Velocity): void;
};

export function createVelocityRelay({ primary }: Siblings): VelocityRelay {
  if (!primary) return { count: () => {}, deliverTo: () => {} };
  let collected = new Map<string, Collected>();

  function send(): void {
    const tallies = [...collected.values()];
    collected = new Map();
    primary?.send(topic, tallies);
  }

  return {
    count(scope, subject, what, hour, change) {
      if (collected.size === 0) setTimeout(send, collectMs).unref();
      const place = `${scope.account}${scope.livemode}${hour}${subject}`;
      let tally = collected.get(place);
      if (!tally) {
        tally = { scope, subject, hour, attempts: 0, declines: 0, mismatches: 0 };
        collected.set(place, tally);
      }
      tally[what] += change;
    },
    deliverTo: (velocity) =>
      primary.handle(topic, (body) => {
        for (const tally of body as HourlyTally[]) velocity.addOfSibling(tally);
      }),
  };
}

/** Passes the counts of each worker to the others. */
export function serveVelocityRelay(hub: Hub): void {
  hub.handle(topic, (body, worker) => hub.broadcast(topic, body, worker));
}
