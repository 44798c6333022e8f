import type { Clock } from "../core/clock.ts";
import type { CheckoutSessionId, PaymentMethodId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Channel } from "../platform/processes/channel.ts";
import type { Hub } from "../platform/processes/hub.ts";
import { PaymentSecret } from "./card-number.ts";

/** Identifies the payment for which a code was received: the card and the session. */
export type CodeFor = {
  readonly scope: Scope;
  readonly id: PaymentMethodId;
  readonly session: CheckoutSessionId;
};

/**
 * Keeps security codes and the cryptograms of network tokens from the card form until the charge. PCI DSS requirement
 * 3.3.1 forbids storing security codes after authorization, even encrypted. The codes exist only in memory, are
 * returned once, and are dropped after `lifetimeMs`. A restart loses them. A charge is then sent without a security
 * code, and a network token without its cryptogram is not sent.
 *
 * The card form stores the card in one request and confirms the payment in another one, and a 3-D Secure challenge ends
 * in a third one. If the service has several processes, each of these requests may reach a different one. The primary
 * process therefore keeps the codes for all processes.
 */
export type SecurityCodes = {
  /** Resolves when every process can load the code. */
  keep(payment: CodeFor, code: PaymentSecret): Promise<void>;
  /** Copies the code into this process, so that `take` can return it without waiting. */
  load(payment: CodeFor): Promise<void>;
  /** Returns the code and drops it in all processes. */
  take(payment: CodeFor): PaymentSecret | null;
  /** Drops the security codes of a card for all sessions. */
  drop(scope: Scope, id: PaymentMethodId): void;
  /** The number of security codes in the memory of this process. */
  readonly size: number;
};

/** Covers a 3-D Secure challenge, which EMV 3DS limits to ten minutes per step. */
const lifetimeMs = 15 * 60 * 1000;
/** Limits the memory that abandoned card forms can use. The oldest codes are dropped first. */
const maxCodes = 50_000;

const topics = {
  keep: "security codes: keep",
  load: "security codes: load",
  drop: "security codes: drop",
  dropOfCard: "security codes: drop those of a card",
} as const;

/** A code as it is sent between processes. */
type SentCode = { readonly key: string; readonly code: string; readonly expiresAtMs: number };

export function createSecurityCodes(clock: Clock, primary: Channel | null = null): SecurityCodes {
  const codes = createCodes(clock);
  primary?.handle(topics.drop, (key) => codes.delete(key as string));
  primary?.handle(topics.dropOfCard, (prefix) => codes.deleteOfCard(prefix as string));

  return {
    async keep(payment, code) {
      const key = keyOf(payment);
      const expiresAtMs = clock.now().getTime() + lifetimeMs;
      codes.set(key, { code, expiresAtMs });
      const sent: SentCode = { key, code: code.reveal(), expiresAtMs };
      await primary?.request(topics.keep, sent);
    },
    async load(payment) {
      if (!primary) return;
      const key = keyOf(payment);
      const sent = (await primary.request(topics.load, key)) as SentCode | null;
      if (!sent) codes.delete(key);
      else codes.set(key, { code: new PaymentSecret(sent.code), expiresAtMs: sent.expiresAtMs });
    },
    take(payment) {
      const key = keyOf(payment);
      const code = codes.take(key);
      if (code) primary?.send(topics.drop, key);
      return code;
    },
    drop(scope, id) {
      const ofCard = cardKeyOf(scope, id);
      codes.deleteOfCard(ofCard);
      primary?.send(topics.dropOfCard, ofCard);
    },
    get size() {
      return codes.size();
    },
  };
}

/** Keeps the codes of all workers in the primary process. */
export function serveSecurityCodes(hub: Hub, clock: Clock): void {
  const codes = createCodes(clock);
  hub.handle(topics.keep, (body) => {
    const { key, code, expiresAtMs } = body as SentCode;
    codes.set(key, { code: new PaymentSecret(code), expiresAtMs });
  });
  hub.handle(topics.load, (body): SentCode | null => {
    const key = body as string;
    const entry = codes.get(key);
    return entry && { key, code: entry.code.reveal(), expiresAtMs: entry.expiresAtMs };
  });
  hub.handle(topics.drop, (body, worker) => {
    codes.delete(body as string);
    hub.broadcast(topics.drop, body, worker);
  });
  hub.handle(topics.dropOfCard, (body, worker) => {
    codes.deleteOfCard(body as string);
    hub.broadcast(topics.dropOfCard, body, worker);
  });
}

type KeptCode = { readonly code: PaymentSecret; readonly expiresAtMs: number };

function createCodes(clock: Clock) {
  /** The codes in the order in which this process received them, each with the timer that drops it. */
  const codes = new Map<string, KeptCode & { readonly timer: NodeJS.Timeout }>();

  function remove(key: string): void {
    clearTimeout(codes.get(key)?.timer);
    codes.delete(key);
  }

  function get(key: string): KeptCode | null {
    const entry = codes.get(key);
    return entry && entry.expiresAtMs > clock.now().getTime() ? entry : null;
  }

  return {
    set(key: string, entry: KeptCode): void {
      remove(key);
      // Each code has its own timer, because a code that was loaded from another process expires before older entries.
      const delayMs = Math.max(0, entry.expiresAtMs - clock.now().getTime());
      const timer = setTimeout(() => codes.delete(key), delayMs).unref();
      codes.set(key, { ...entry, timer });
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest) remove(oldest);
    },
    get,
    take(key: string): PaymentSecret | null {
      const entry = get(key);
      remove(key);
      return entry?.code ?? null;
    },
    delete: remove,
    deleteOfCard(ofCard: string): void {
      for (const key of codes.keys()) if (key.startsWith(ofCard)) remove(key);
    },
    size: () => codes.size,
  };
}

function cardKeyOf(scope: Scope, id: PaymentMethodId): string {
  return `${scope.account}|${scope.livemode}|${id}|`;
}

function keyOf({ scope, id, session }: CodeFor): string {
  return `${cardKeyOf(scope, id)}${session}`;
}
