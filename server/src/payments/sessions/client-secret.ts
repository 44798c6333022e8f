import { createHmac, timingSafeEqual } from "node:crypto";
import type { AttemptId, CheckoutSessionId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";

/**
 * Computes the secrets that give a customer's browser access to one session or one challenge. A secret is an HMAC of
 * the ID, with a key that is not in the database. Secrets are computed when needed and never stored.
 */
export type ClientSecrets = {
  of(scope: Scope, id: CheckoutSessionId | AttemptId): string;
  matches(scope: Scope, id: CheckoutSessionId | AttemptId, secret: string): boolean;
};

export type ClientSecretKeys = { readonly test: Buffer; readonly live: Buffer };

export function createClientSecrets(keys: ClientSecretKeys): ClientSecrets {
  function of({ account, livemode }: Scope, id: string): string {
    const key = livemode ? keys.live : keys.test;
    const code = createHmac("sha256", key).update(`${account}|${id}`).digest("base64url");
    return `secret_${code}`;
  }
  return {
    of,
    matches(scope, id, secret) {
      const expected = Buffer.from(of(scope, id));
      const given = Buffer.from(secret);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
