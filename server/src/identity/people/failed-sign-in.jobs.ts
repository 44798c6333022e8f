import type { Clock } from "../../core/clock.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import { type FailedSignIns, noPerson, takeFailedSignIns } from "./failed-sign-in.sql.ts";
import { minuteOf } from "./failed-sign-in.ts";

/**
 * The delay between the end of a minute and its audit entries, so that the entries include attempts that are recorded
 * late.
 */
const graceMs = 30_000;

/**
 * The maximum number of entries for one minute. The networks with the most attempts have separate entries, and one
 * entry covers all others.
 */
const maxNetworksPerMinute = 20;

/** The maximum number of people in one entry. */
const maxPeoplePerEntry = 20;

type Deps = { readonly database: Database; readonly clock: Clock };

/** Writes the failed sign-ins of past minutes to the service-wide audit log: one entry for each minute and network. */
export function startFailedSignIns(deps: Deps, background: Background): Loop {
  return startLoop({
    name: "failed sign-ins",
    everyMs: 10_000,
    background,
    work: () => recordFailedSignIns(deps),
  });
}

/** Records the failed sign-ins of the oldest minute that has ended. Returns false if there is no such minute. */
export async function recordFailedSignIns({ database, clock }: Deps): Promise<boolean> {
  const before = minuteOf(new Date(clock.now().getTime() - graceMs));
  return database.transaction(async (tx) => {
    const failed = await takeFailedSignIns(tx, before);
    for (const { network, values, person } of entriesOf(failed)) {
      const entry = {
        account: null,
        livemode: null,
        actor: { kind: "service" },
        action: "person.sign_in_failed",
        object: person,
        after: values,
        ip: network,
      } as const;
      await recordAuditEntry(tx, entry, clock);
    }
    return failed.length > 0;
  });
}

type Entry = {
  readonly network: string | null;
  readonly values: AuditValues;
  /** The person whose credentials were used. Null if the attempts used the credentials of several people. */
  readonly person: string | null;
};

function entriesOf(failed: readonly FailedSignIns[]): Entry[] {
  const byNetwork = [...Map.groupBy(failed, ({ network }) => network)].sort(
    ([, one], [, other]) => attemptsIn(other) - attemptsIn(one),
  );
  const entries = byNetwork
    .slice(0, maxNetworksPerMinute)
    .map(([network, rows]) => entryOf(network, rows, 1));
  const others = byNetwork.slice(maxNetworksPerMinute);
  if (others.length > 0) {
    const rows = others.flatMap(([, ofNetwork]) => ofNetwork);
    entries.push(entryOf(null, rows, others.length));
  }
  return entries;
}

function entryOf(network: string | null, rows: readonly FailedSignIns[], networks: number): Entry {
  const known = rows.filter(({ person }) => person !== noPerson);
  const people = [...new Set(known.map(({ person }) => person))];
  const byKind = [...Map.groupBy(rows, ({ kind }) => kind)];
  const values = {
    minute: rows[0]?.minute.toISOString(),
    networks,
    attempts: attemptsIn(rows),
    ...Object.fromEntries(byKind.map(([kind, of]) => [`wrong_${kind}`, attemptsIn(of)])),
    unknown_addresses: attemptsIn(rows) - attemptsIn(known),
    people: people.slice(0, maxPeoplePerEntry),
  };
  return { network, values, person: people.length === 1 ? (people[0] ?? null) : null };
}

function attemptsIn(rows: readonly FailedSignIns[]): number {
  return rows.reduce((sum, { attempts }) => sum + attempts, 0);
}
