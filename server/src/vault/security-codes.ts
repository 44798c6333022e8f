import type { Clock } from "../core/clock.ts";
import type { CheckoutSessionId, PaymentMethodId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { SecurityCode } from "./card-number.ts";

/** Identifies the payment for which a security code was typed: the card and the session. */
export type CodeFor = {
  readonly scope: Scope;
  readonly id: PaymentMethodId;
  readonly session: CheckoutSessionId | null;
};

/**
 * Keeps security codes from the card form until the charge. PCI DSS requirement 3.3.1 forbids storing them after
 * authorization, even encrypted. The codes exist only in memory, are returned once, and are dropped after `lifetimeMs`.
 * A restart loses them, and the charge is then sent without a code.
 */
export type SecurityCodes = {
  keep(payment: CodeFor, code: SecurityCode): void;
  take(payment: CodeFor): SecurityCode | null;
  /** Drops the security codes of a card for all sessions. */
  drop(scope: Scope, id: PaymentMethodId): void;
  /** The number of security codes in memory. */
  readonly size: number;
};

/** Covers a 3-D Secure challenge, which EMV 3DS limits to ten minutes per step. */
const lifetimeMs = 15 * 60 * 1000;
/** Limits the memory that abandoned card forms can use. The oldest codes are dropped first. */
const maxCodes = 50_000;
/** Prevents a busy loop if `clock` and the timer differ. */
const minTimerMs = 1_000;

export function createSecurityCodes(clock: Clock): SecurityCodes {
  // A Map keeps the insertion order, and all lifetimes are equal. The first entry therefore expires first.
  const codes = new Map<string, { readonly code: SecurityCode; readonly expiresAtMs: number }>();
  let timer: NodeJS.Timeout | null = null;

  function dropExpired(): void {
    const nowMs = clock.now().getTime();
    for (const [key, entry] of codes) {
      if (entry.expiresAtMs > nowMs && codes.size <= maxCodes) return;
      codes.delete(key);
    }
  }

  /** Schedules the removal of the oldest code, so that codes are dropped at expiry even without further requests. */
  function scheduleDrop(): void {
    const [oldest] = codes.values();
    if (timer || !oldest) return;
    const delayMs = Math.max(minTimerMs, oldest.expiresAtMs - clock.now().getTime());
    timer = setTimeout(() => {
      timer = null;
      dropExpired();
      scheduleDrop();
    }, delayMs).unref();
  }

  return {
    keep(payment, code) {
      const key = keyOf(payment);
      codes.delete(key);
      codes.set(key, { code, expiresAtMs: clock.now().getTime() + lifetimeMs });
      dropExpired();
      scheduleDrop();
    },
    take(payment) {
      const key = keyOf(payment);
      const entry = codes.get(key);
      codes.delete(key);
      dropExpired();
      return entry && entry.expiresAtMs > clock.now().getTime() ? entry.code : null;
    },
    drop(scope, id) {
      const ofCard = cardKeyOf(scope, id);
      for (const key of codes.keys()) if (key.startsWith(ofCard)) codes.delete(key);
    },
    get size() {
      return codes.size;
    },
  };
}

function cardKeyOf(scope: Scope, id: PaymentMethodId): string {
  return `${scope.account}|${scope.livemode}|${id}|`;
}

function keyOf({ scope, id, session }: CodeFor): string {
  return `${cardKeyOf(scope, id)}${session ?? ""}`;
}
