import { LRUCache } from "lru-cache";
import type { AccountId } from "../../core/ids.ts";
import { type CacheValidity, maxStalenessMs } from "./change-feed.ts";

/** Values that belong to an account, cached until the account's configuration changes. */
export type CacheUntilChanged<Value> = {
  /** Returns the cached value, or undefined if it must be read. */
  peek(key: string): Value | undefined;
  /** Returns the cached value, or reads it. A result of null is not cached. */
  get(key: string): Promise<Value | null>;
};

export type CachedRead<Value> = {
  readonly read: (key: string) => Promise<Value | null>;
  readonly accountOf: (value: Value) => AccountId;
  /** Returns the size of a value. The sum of the sizes is limited to `maxSize`. By default, each value has the size 1. */
  readonly sizeOf?: (value: Value) => number;
};

/**
 * The maximum number of values, and the maximum sum of their sizes. The least recently used values are dropped first.
 * The keys, accounts and rule sets of 100,000 merchants take about 115 MB.
 */
const maxSize = 100_000;

type Entry<Value> = { readonly value: Value; readonly position: number; readonly readAt: number };
type Reading<Value> = {
  readonly result: Promise<Value | null>;
  readonly position: number;
  readonly readAt: number;
};

/** Creates a cache in front of a read. Concurrent callers share one read, and failures are not cached. */
export function cacheUntilChanged<Value>(
  changes: CacheValidity,
  { read, accountOf, sizeOf = () => 1 }: CachedRead<Value>,
): CacheUntilChanged<Value> {
  // `max` is not set, because the cache would then allocate the memory for that many values in advance.
  const entries = new LRUCache<string, Entry<Value>>({ maxSize });
  const reading = new Map<string, Reading<Value>>();

  function peek(key: string): Value | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const { value, position, readAt } = entry;
    return changes.isCurrent(accountOf(value), position, readAt) ? value : undefined;
  }

  function start(key: string): Promise<Value | null> {
    const position = changes.position();
    // An integer, because V8 stores other numbers in separate objects.
    const readAt = Math.floor(performance.now());
    const result = read(key).then((value) => {
      if (value !== null) entries.set(key, { value, position, readAt }, { size: sizeOf(value) });
      return value;
    });
    const one: Reading<Value> = { result, position, readAt };
    reading.set(key, one);
    const remove = () => {
      if (reading.get(key) === one) reading.delete(key);
    };
    result.then(remove, remove);
    return result;
  }

  return {
    peek,
    get(key) {
      const known = peek(key);
      if (known !== undefined) return Promise.resolve(known);
      // A read that started before a change may return the old value, so callers after the change do not share it. They
      // also do not share a read that started long ago, because the feed may be behind, for example after the process
      // was suspended.
      const started = reading.get(key);
      const isShared =
        started?.position === changes.position() &&
        performance.now() - started.readAt < maxStalenessMs;
      return isShared ? started.result : start(key);
    },
  };
}
