import type { PersonId } from "../../core/ids.ts";
import { networkOf } from "../../core/network.ts";
import { type FailedSignInKind, noPerson, upsertFailedSignIn } from "./failed-sign-in.sql.ts";
import type { PeopleDeps } from "./people-deps.ts";

const minuteMs = 60_000;

/**
 * Counts a failed sign-in or step-up in the database row of its minute, network and person. Only attempts from the same
 * network wait for that row. A job writes the counts of past minutes to the audit log, so an attacker can neither flood
 * the log nor block the service-wide hash chain. Attempts that the limiter rejects without evaluation are not counted.
 */
export async function recordFailedSignIn(
  { database, clock }: Pick<PeopleDeps, "database" | "clock">,
  failed: {
    readonly kind: FailedSignInKind;
    readonly person: PersonId | null;
    readonly ip: string;
  },
): Promise<void> {
  const { kind, person, ip } = failed;
  const minute = minuteOf(clock.now());
  const counted = { minute, network: networkOf(ip), kind, person: person ?? noPerson };
  await database.autocommit((tx) => upsertFailedSignIn(tx, counted));
}

export function minuteOf(time: Date): Date {
  return new Date(time.getTime() - (time.getTime() % minuteMs));
}
