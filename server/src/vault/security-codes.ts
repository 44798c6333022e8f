import type { Clock } from "../primitives/clock.ts";
import type { PaymentMethodId } from "../primitives/ids.ts";
import type { Owner } from "../primitives/owner.ts";
import type { SecurityCode } from "./card-number.ts";

/**
 * Security codes between the card form and the one charge they are for. PCI DSS requirement 3.3.1 forbids to
 * keep them after authorisation, even encrypted: so they are in memory only, are given out once, and are
 * forgotten after `lifetimeMs`. A restart forgets them all, and the charge goes without.
 */
export type SecurityCodes = {
  keep(owner: Owner, id: PaymentMethodId, code: SecurityCode): void;
  take(owner: Owner, id: PaymentMethodId): SecurityCode | null;
};

/** Long enough for a 3-D Secure challenge (EMV 3DS: ten minutes a step), and no longer than that needs. */
const lifetimeMs = 15 * 60 * 1000;
/** So that a flood of abandoned forms costs memory of a known size; the oldest are forgotten first. */
const mostKept = 50_000;

export function openSecurityCodes(clock: Clock): SecurityCodes {
  // A Map keeps the order of insertion, and every life is equally long: the first entry dies first.
  const kept = new Map<string, { readonly code: SecurityCode; readonly diesAt: number }>();

  function forgetTheDead(now: number): void {
    for (const [key, entry] of kept) {
      if (entry.diesAt > now && kept.size <= mostKept) return;
      kept.delete(key);
    }
  }

  return {
    keep(owner, id, code) {
      const now = clock.now().getTime();
      const key = keyOf(owner, id);
      kept.delete(key);
      kept.set(key, { code, diesAt: now + lifetimeMs });
      forgetTheDead(now);
    },
    take(owner, id) {
      const key = keyOf(owner, id);
      const entry = kept.get(key);
      kept.delete(key);
      forgetTheDead(clock.now().getTime());
      return entry && entry.diesAt > clock.now().getTime() ? entry.code : null;
    },
  };
}

function keyOf(owner: Owner, id: PaymentMethodId): string {
  return `${owner.account}|${owner.livemode}|${id}`;
}
