/**
 * Waiting requests of several parties, such as the accounts that use one connection. The party whose last request was
 * served longest ago is served next. A party with many waiting requests therefore delays the request of another party
 * by one request only.
 */
export type FairQueue<Waiter> = {
  /** The number of parties with a waiting request. */
  readonly parties: number;
  /** The number of waiting requests. */
  readonly length: number;
  /** Returns the number of the party's waiting requests of this kind. */
  lengthOf(party: string, kind: string): number;
  /**
   * Returns how many turns the party needs until a new request of this kind is served, including the turn of the new
   * request.
   */
  turnsUntil(party: string, kind: string): number;
  /** Adds a request. A party's kinds of requests are served in turn, and requests of one kind in order of arrival. */
  add(party: string, kind: string, waiter: Waiter): void;
  /** Removes a request that no longer waits. */
  remove(party: string, kind: string, waiter: Waiter): void;
  /** Removes and returns the request that is served next. Returns null if none waits. */
  next(): Waiter | null;
};

/** The waiting requests of a party by kind. The kind that was served last is at the end. */
type Kinds<Waiter> = Map<string, Set<Waiter>>;

export function createFairQueue<Waiter>(): FairQueue<Waiter> {
  /** The waiting parties that are not in `served`, in the order in which they began to wait. They are served first. */
  const unserved = new Map<string, Kinds<Waiter>>();
  /**
   * The other parties, in the order in which they were last served. A party without waiting requests stays here until
   * all parties before it have been served. Otherwise it could get a second turn before them.
   */
  const served = new Map<string, Kinds<Waiter>>();
  let parties = 0;
  let length = 0;

  const kindsOf = (party: string) => served.get(party) ?? unserved.get(party);

  function remove(party: string, kind: string, waiter: Waiter): void {
    const kinds = kindsOf(party);
    const waiters = kinds?.get(kind);
    if (!kinds || !waiters?.delete(waiter)) return;
    length -= 1;
    if (waiters.size > 0) return;
    kinds.delete(kind);
    if (kinds.size > 0) return;
    parties -= 1;
    unserved.delete(party);
  }

  /** Returns the party that is served next, with its waiting requests. */
  function nextParty(): readonly [string, Kinds<Waiter>] | null {
    for (const entry of unserved) return entry;
    for (const entry of served) {
      if (entry[1].size > 0) return entry;
      served.delete(entry[0]);
    }
    return null;
  }

  return {
    get parties() {
      return parties;
    },
    get length() {
      return length;
    },
    lengthOf: (party, kind) => kindsOf(party)?.get(kind)?.size ?? 0,
    turnsUntil(party, kind) {
      const kinds = kindsOf(party);
      const own = (kinds?.get(kind)?.size ?? 0) + 1;
      let turns = own;
      for (const [other, { size }] of kinds ?? []) if (other !== kind) turns += Math.min(size, own);
      return turns;
    },
    add(party, kind, waiter) {
      let kinds = kindsOf(party);
      if (!kinds) {
        kinds = new Map();
        unserved.set(party, kinds);
      }
      if (kinds.size === 0) parties += 1;
      length += 1;
      const waiters = kinds.get(kind);
      if (waiters) waiters.add(waiter);
      else kinds.set(kind, new Set([waiter]));
    },
    remove,
    next() {
      const entry = nextParty();
      if (!entry) return null;
      const [party, kinds] = entry;
      const [kind, waiters] = kinds.entries().next().value as [string, Set<Waiter>];
      const waiter = waiters.values().next().value as Waiter;
      remove(party, kind, waiter);
      if (waiters.size > 0) {
        kinds.delete(kind);
        kinds.set(kind, waiters);
      }
      unserved.delete(party);
      served.delete(party);
      served.set(party, kinds);
      return waiter;
    },
  };
}
