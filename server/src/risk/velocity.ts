import type { Scope } from "../core/scope.ts";

/** The counters of one subject, such as a card, an email address or a device. */
export type Tally = {
  readonly attempts: number;
  readonly declines: number;
  /** The number of security codes and billing addresses that the issuer reported as wrong. */
  readonly mismatches: number;
};

export type Counted = keyof Tally;

/** The counters of one subject of one merchant in one hour. Hours are numbered from 1970. */
export type HourlyTally = Tally & {
  readonly scope: Scope;
  readonly subject: string;
  readonly hour: number;
};

/**
 * Counts attempts, declines and mismatches in this process's memory. A job merges the counts with those of other
 * processes through Postgres.
 */
export type Velocity = {
  /** Counts in this process, and passes the count to the other processes of the service. */
  count(scope: Scope, subject: string, what: Counted, now: Date): void;
  /**
   * Withdraws one attempt that was just counted. An attempt that this process has already shared through Postgres stays
   * counted.
   */
  withdrawAttempt(scope: Scope, subject: string, now: Date): void;
  /** Adds counts of another process of the service, which writes them to Postgres. */
  addOfSibling(tally: HourlyTally): void;
  /** Returns the counts of the last hour and the last day. */
  countsOf(scope: Scope, subject: string, now: Date): { readonly hour: Tally; readonly day: Tally };
  /**
   * Returns the counts since the last call and marks them as shared. Omits subjects with a single attempt, which other
   * processes do not need.
   */
  takeUnshared(limit: number): HourlyTally[];
  /** Marks counts as unshared again after writing them failed. */
  restoreUnshared(news: readonly HourlyTally[]): void;
  /**
   * Raises the shared counts to the sums over all processes. Keeps the counts that this process has not shared yet, and
   * those of siblings, which the sums may not contain yet.
   */
  replaceShared(sums: readonly HourlyTally[]): void;
};

/** Called for each count with the change: 1, or -1 for an attempt that was withdrawn. */
export type OnCount = (
  scope: Scope,
  subject: string,
  what: Counted,
  hour: number,
  change: 1 | -1,
) => void;

type Cell = { shared: Mutable; unshared: Mutable };
type Mutable = { -readonly [Name in keyof Tally]: Tally[Name] };
type Entry = {
  scope: Scope;
  subject: string;
  hours: Map<number, Cell>;
  latest: number;
  hasUnshared: boolean;
};

const hourMs = 60 * 60 * 1000;
const dayHours = 24;
/**
 * The maximum number of subjects, about 60 MB. Above this number, the oldest subjects are evicted. The next merge of an
 * evicted subject reads its counts from Postgres again.
 */
const maxSubjects = 200_000;

export function createVelocity({
  capacity = maxSubjects,
  onCount = () => {},
}: {
  readonly capacity?: number;
  readonly onCount?: OnCount;
} = {}): Velocity {
  // A Map keeps the order of insertion, so the first entries are the oldest.
  const entries = new Map<string, Entry>();
  const news = new Set<Entry>();

  function cellAt(scope: Scope, subject: string, hour: number): { entry: Entry; cell: Cell } {
    const place = placeOf(scope, subject);
    let entry = entries.get(place);
    if (!entry) {
      if (entries.size >= capacity) evictOldest();
      entry = { scope, subject, hours: new Map(), latest: hour, hasUnshared: false };
      entries.set(place, entry);
    }
    if (hour > entry.latest) {
      entry.latest = hour;
      for (const old of entry.hours.keys()) if (old <= hour - dayHours) entry.hours.delete(old);
    }
    let cell = entry.hours.get(hour);
    if (!cell) {
      cell = { shared: zero(), unshared: zero() };
      entry.hours.set(hour, cell);
    }
    return { entry, cell };
  }

  function evictOldest(): void {
    for (const [place, entry] of entries) {
      if (!entry.hasUnshared) entries.delete(place);
      if (entries.size < capacity) return;
    }
    entries.clear();
    news.clear();
  }

  function add(tally: HourlyTally): void {
    const { entry, cell } = cellAt(tally.scope, tally.subject, tally.hour);
    for (const what of counted) cell.unshared[what] += tally[what];
    entry.hasUnshared = true;
    news.add(entry);
  }

  return {
    count(scope, subject, what, now) {
      const hour = hourOf(now);
      const { entry, cell } = cellAt(scope, subject, hour);
      cell.unshared[what] += 1;
      onCount(scope, subject, what, hour, 1);
      // A subject with a single attempt is not shared, because nearly every card is used only once a day. A decline is
      // always shared.
      if (entry.hasUnshared || (what === "attempts" && sumOf(entry, -1).attempts < 2)) return;
      entry.hasUnshared = true;
      news.add(entry);
    },

    withdrawAttempt(scope, subject, now) {
      const hour = hourOf(now);
      const cell = entries.get(placeOf(scope, subject))?.hours.get(hour);
      if (!cell || cell.unshared.attempts === 0) return;
      cell.unshared.attempts -= 1;
      onCount(scope, subject, "attempts", hour, -1);
    },

    addOfSibling({ scope, subject, hour, ...tally }) {
      const { entry, cell } = cellAt(scope, subject, hour);
      for (const what of counted) {
        cell.shared[what] = Math.max(0, cell.shared[what] + tally[what]);
      }
      // Until this count arrived, each process had counted the subject at most once, so no process has shared it.
      if (entry.hasUnshared || sumOf(entry, -1).attempts < 2 || !hasUnsharedCounts(entry)) return;
      entry.hasUnshared = true;
      news.add(entry);
    },

    countsOf(scope, subject, now) {
      const hour = hourOf(now);
      const entry = entries.get(placeOf(scope, subject));
      if (!entry) return { hour: nothing, day: nothing };
      const passed = (now.getTime() % hourMs) / hourMs;
      const current = tallyAt(entry, hour);
      const previous = tallyAt(entry, hour - 1);
      // Counts the previous clock hour in proportion to the part of it that lies within the last sixty minutes.
      const part = (what: Counted) => current[what] + Math.floor(previous[what] * (1 - passed));
      return {
        hour: {
          attempts: part("attempts"),
          declines: part("declines"),
          mismatches: part("mismatches"),
        },
        day: sumOf(entry, hour - dayHours),
      };
    },

    takeUnshared(limit) {
      const taken: HourlyTally[] = [];
      for (const entry of news) {
        if (taken.length >= limit) break;
        for (const [hour, cell] of entry.hours) {
          if (!counted.some((what) => cell.unshared[what] > 0)) continue;
          taken.push({ scope: entry.scope, subject: entry.subject, hour, ...cell.unshared });
          for (const what of counted) cell.shared[what] += cell.unshared[what];
          cell.unshared = zero();
        }
        entry.hasUnshared = false;
        news.delete(entry);
      }
      return taken;
    },

    restoreUnshared(tallies) {
      for (const tally of tallies) {
        const { cell } = cellAt(tally.scope, tally.subject, tally.hour);
        for (const what of counted)
          cell.shared[what] = Math.max(0, cell.shared[what] - tally[what]);
        add(tally);
      }
    },

    replaceShared(sums) {
      for (const sum of sums) {
        const { cell } = cellAt(sum.scope, sum.subject, sum.hour);
        for (const what of counted) cell.shared[what] = Math.max(cell.shared[what], sum[what]);
      }
    },
  };
}

const counted: readonly Counted[] = ["attempts", "declines", "mismatches"];
const nothing: Tally = { attempts: 0, declines: 0, mismatches: 0 };
const zero = (): Mutable => ({ ...nothing });

function placeOf({ account, livemode }: Scope, subject: string): string {
  return `${account}${livemode ? "l" : "t"}${subject}`;
}

function hasUnsharedCounts({ hours }: Entry): boolean {
  return [...hours.values()].some(({ unshared }) => counted.some((what) => unshared[what] > 0));
}

function hourOf(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}

function tallyAt(entry: Entry, hour: number): Tally {
  const cell = entry.hours.get(hour);
  if (!cell) return nothing;
  const { shared, unshared } = cell;
  return {
    attempts: shared.attempts + unshared.attempts,
    declines: shared.declines + unshared.declines,
    mismatches: shared.mismatches + unshared.mismatches,
  };
}

function sumOf(entry: Entry, after: number): Tally {
  const sum = zero();
  for (const hour of entry.hours.keys()) {
    if (hour <= after) continue;
    const tally = tallyAt(entry, hour);
    for (const what of counted) sum[what] += tally[what];
  }
  return sum;
}
