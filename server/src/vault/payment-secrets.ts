import type { Clock } from "../core/clock.ts";
import type { CheckoutSessionId, PaymentMethodId } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import type { Channel } from "../platform/processes/channel.ts";
import type { Hub } from "../platform/processes/hub.ts";
import { PaymentSecret } from "./card-number.ts";

/** Identifies the payment for which a secret was received: the payment method and the session. */
export type SecretFor = {
  readonly scope: Scope;
  readonly id: PaymentMethodId;
  readonly session: CheckoutSessionId;
};

/**
 * Keeps secrets of payments in memory, such as security codes. The secrets are returned once and are never stored. They
 * are dropped after their lifetime, and a restart loses them.
 *
 * The card form sends the secret in one request and confirms the payment in another one, and a 3-D Secure challenge
 * ends in a third one. If the service has several processes, each of these requests may reach a different one. The
 * primary process therefore keeps the secrets for all processes.
 */
export type PaymentSecrets = {
  /** Resolves when every process can load the secret. */
  keep(payment: SecretFor, secret: PaymentSecret): Promise<void>;
  /** Copies the secret into this process, so that `take` can return it without waiting. */
  load(payment: SecretFor): Promise<void>;
  /** Returns the secret and drops it in all processes. */
  take(payment: SecretFor): PaymentSecret | null;
  /** Drops the secrets of a payment method for all sessions. */
  drop(scope: Scope, id: PaymentMethodId): void;
  /** The number of secrets in the memory of this process. */
  readonly size: number;
};

/** A kind of secrets. Each kind has a memory of its own, so that the secrets of one kind cannot displace another's. */
export type SecretKind = {
  /** The name of the kind in messages between processes. */
  readonly name: string;
  readonly lifetimeMs: number;
  readonly limits: SecretLimits;
};

/**
 * The limits of the memory. The oldest secrets are dropped first. Without a limit for each session and account, one
 * customer or one merchant could displace the secrets of all others.
 */
export type SecretLimits = {
  readonly total: SecretLimit;
  readonly account: SecretLimit | null;
  readonly session: SecretLimit | null;
};

/** A maximum number of secrets, and a maximum sum of their sizes. */
export type SecretLimit = { readonly secrets: number; readonly bytes: number };

/** A secret as it is sent between processes. */
type SentSecret = { readonly key: string; readonly secret: string; readonly expiresAtMs: number };

export function createPaymentSecrets(
  kind: SecretKind,
  clock: Clock,
  primary: Channel | null = null,
): PaymentSecrets {
  const topics = topicsOf(kind);
  const secrets = createMemory(kind, clock);
  primary?.handle(topics.drop, (key) => secrets.delete(key as string));
  primary?.handle(topics.dropOfMethod, (prefix) => secrets.deleteOfMethod(prefix as string));

  return {
    async keep(payment, secret) {
      const key = keyOf(payment);
      const expiresAtMs = clock.now().getTime() + kind.lifetimeMs;
      secrets.set(key, { secret, expiresAtMs });
      const sent: SentSecret = { key, secret: secret.reveal(), expiresAtMs };
      await primary?.request(topics.keep, sent);
    },
    async load(payment) {
      if (!primary) return;
      const key = keyOf(payment);
      const sent = (await primary.request(topics.load, key)) as SentSecret | null;
      if (!sent) secrets.delete(key);
      else {
        const { secret, expiresAtMs } = sent;
        secrets.set(key, { secret: new PaymentSecret(secret), expiresAtMs });
      }
    },
    take(payment) {
      const key = keyOf(payment);
      const secret = secrets.take(key);
      if (secret) primary?.send(topics.drop, key);
      return secret;
    },
    drop(scope, id) {
      const ofMethod = methodKeyOf(scope, id);
      secrets.deleteOfMethod(ofMethod);
      primary?.send(topics.dropOfMethod, ofMethod);
    },
    get size() {
      return secrets.size();
    },
  };
}

/** Keeps the secrets of all workers in the primary process. */
export function servePaymentSecrets(kind: SecretKind, hub: Hub, clock: Clock): void {
  const topics = topicsOf(kind);
  const secrets = createMemory(kind, clock);
  hub.handle(topics.keep, (body) => {
    const { key, secret, expiresAtMs } = body as SentSecret;
    secrets.set(key, { secret: new PaymentSecret(secret), expiresAtMs });
  });
  hub.handle(topics.load, (body): SentSecret | null => {
    const key = body as string;
    const entry = secrets.get(key);
    return entry && { key, secret: entry.secret.reveal(), expiresAtMs: entry.expiresAtMs };
  });
  hub.handle(topics.drop, (body, worker) => {
    secrets.delete(body as string);
    hub.broadcast(topics.drop, body, worker);
  });
  hub.handle(topics.dropOfMethod, (body, worker) => {
    secrets.deleteOfMethod(body as string);
    hub.broadcast(topics.dropOfMethod, body, worker);
  });
}

function topicsOf({ name }: SecretKind) {
  return {
    keep: `${name}: keep`,
    load: `${name}: load`,
    drop: `${name}: drop`,
    dropOfMethod: `${name}: drop those of a payment method`,
  } as const;
}

type KeptSecret = { readonly secret: PaymentSecret; readonly expiresAtMs: number };

/** The secrets of one session, of one account or of all accounts, oldest first. */
type Group = { readonly keys: Set<string>; bytes: number };

function createMemory({ limits }: SecretKind, clock: Clock) {
  /** The secrets in the order in which this process received them, each with the timer that drops it. */
  const secrets = new Map<string, KeptSecret & { readonly timer: NodeJS.Timeout }>();
  const groups = new Map<string, Group>();

  function remove(key: string): void {
    const entry = secrets.get(key);
    if (!entry) return;
    clearTimeout(entry.timer);
    secrets.delete(key);
    for (const { name } of groupsOf(key)) {
      const group = groups.get(name) as Group;
      group.keys.delete(key);
      group.bytes -= sizeOf(entry);
      if (group.keys.size === 0) groups.delete(name);
    }
  }

  /** Returns the limited groups of a secret, the smallest first. */
  function groupsOf(key: string): { readonly name: string; readonly limit: SecretLimit }[] {
    const account = key.slice(0, key.indexOf("|"));
    const session = key.slice(key.lastIndexOf("|") + 1);
    return [
      ...(limits.session ? [{ name: session, limit: limits.session }] : []),
      ...(limits.account ? [{ name: account, limit: limits.account }] : []),
      { name: all, limit: limits.total },
    ];
  }

  function get(key: string): KeptSecret | null {
    const entry = secrets.get(key);
    return entry && entry.expiresAtMs > clock.now().getTime() ? entry : null;
  }

  return {
    set(key: string, entry: KeptSecret): void {
      remove(key);
      // Each secret has its own timer, because a secret that was loaded from another process can expire before older
      // entries.
      const delayMs = Math.max(0, entry.expiresAtMs - clock.now().getTime());
      secrets.set(key, { ...entry, timer: setTimeout(() => remove(key), delayMs).unref() });
      const grouped = groupsOf(key).map(({ name, limit }) => {
        const group: Group = groups.get(name) ?? { keys: new Set(), bytes: 0 };
        groups.set(name, group);
        group.keys.add(key);
        group.bytes += sizeOf(entry);
        return { group, limit };
      });
      for (const { group, limit } of grouped) {
        for (const oldest of group.keys) {
          if (group.keys.size <= limit.secrets && group.bytes <= limit.bytes) break;
          remove(oldest);
        }
      }
    },
    get,
    take(key: string): PaymentSecret | null {
      const entry = get(key);
      remove(key);
      return entry?.secret ?? null;
    },
    delete: remove,
    deleteOfMethod(ofMethod: string): void {
      for (const key of secrets.keys()) if (key.startsWith(ofMethod)) remove(key);
    },
    size: () => secrets.size,
  };
}

/** The name of the group of all secrets. No account and no session has this name. */
const all = "";

function sizeOf({ secret }: KeptSecret): number {
  return secret.reveal().length;
}

function methodKeyOf(scope: Scope, id: PaymentMethodId): string {
  return `${scope.account}|${scope.livemode}|${id}|`;
}

function keyOf({ scope, id, session }: SecretFor): string {
  return `${methodKeyOf(scope, id)}${session}`;
}
