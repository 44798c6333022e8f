import type { ChargeStatus } from "@florin/contract/charge.ts";
import { LRUCache } from "lru-cache";
import type { Scope } from "../../core/scope.ts";
import { fragment, type RowSql } from "../../platform/database/sql.ts";
import type { ObjectText } from "../../platform/http/list.ts";
import type { Links } from "../sessions/client-urls.ts";
import type { ReadCharges } from "./charge-list.sql.ts";
import { type RenderedCharge, readRenderedCharges, renderedCharges } from "./rendered-charges.ts";

type CachedCharge = {
  readonly account: string;
  readonly livemode: boolean;
  readonly version: string;
  readonly text: Buffer;
};

/** Enough for about 7,000 charges. */
const defaultMaxBytes = 10 * 1024 * 1024;

/**
 * The statuses in which a charge is cached. In these statuses, every change of a charge increments its version.
 * `authorized` is excluded, because the test clock changes `capture_before` without a new version. `requires_action` is
 * excluded, because not every caller may see the charge's challenge URL.
 */
const cachedStatuses: ReadonlySet<ChargeStatus> = new Set(["succeeded", "failed", "canceled"]);

/** Caches rendered charges of recent lists, with the version that was rendered. */
export type ChargeTextCache = ReturnType<typeof createChargeTextCache>;

export function createChargeTextCache(maxBytes = defaultMaxBytes) {
  const charges = new LRUCache<string, CachedCharge>({
    maxSize: maxBytes,
    sizeCalculation: ({ text }) => text.length,
  });

  return {
    /** Returns the charge if this version of it is cached. */
    find(scope: Scope, uuid: string, version: string): Buffer | null {
      const cached = charges.get(uuid);
      return cached?.version === version &&
        cached.account === scope.account &&
        cached.livemode === scope.livemode
        ? cached.text
        : null;
    },

    add({ account, livemode }: Scope, { uuid, version, status, text }: RenderedCharge): void {
      if (!cachedStatuses.has(status)) return;
      // Stored in encoded form. Otherwise each list with this charge would encode the text again.
      charges.set(uuid, { account, livemode, version, text: Buffer.from(text) });
    },
  };
}

const keyColumns = fragment`id, version`;

/**
 * Reads charges as API objects in JSON, as `renderedCharges` does. Reads only the ID and version of a charge that is
 * cached. Use it for pages that are requested again and again, such as the newest charges. A page with charges that are
 * not cached takes a second statement.
 */
export function cachedCharges(
  cache: ChargeTextCache,
  readRows: RowSql,
  scope: Scope,
  links: Links | null,
): ReadCharges<ObjectText> {
  const readCached = readRows((row) => {
    const uuid = row.ascii(0);
    const version = row.ascii(1);
    return cache.find(scope, uuid, version) ?? { uuid, version };
  });
  return async (statement) => {
    const found = await readCached`${statement(keyColumns)}`;
    const missing = new Map<string, MissingCharge>();
    for (const one of found) if (isMissing(one)) missing.set(one.uuid, one);
    if (missing.size === 0) return found as ObjectText[];
    const read = await readRenderedCharges(readRows, scope, links, [...missing.keys()]);
    const texts = new Map<string, string>();
    for (const one of read) {
      if (one.version === missing.get(one.uuid)?.version) texts.set(one.uuid, one.text);
      cache.add(scope, one);
    }
    // A charge that has changed since the first statement may no longer match the filter.
    if (texts.size < missing.size) return renderedCharges(readRows, scope, links)(statement);
    return found.map((one) => (isMissing(one) ? (texts.get(one.uuid) as string) : one));
  };
}

type MissingCharge = { readonly uuid: string; readonly version: string };

function isMissing(one: ObjectText | MissingCharge): one is MissingCharge {
  return typeof one === "object" && "uuid" in one;
}
