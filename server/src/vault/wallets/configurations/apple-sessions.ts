import type { Clock } from "../../../core/clock.ts";
import type { AccountId, CheckoutSessionId } from "../../../core/ids.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { KeyProvider } from "../../key-provider.ts";
import {
  createSessionSlots,
  type MerchantSession,
  parseValidationUrl,
  requestMerchantSession,
} from "../apple-pay/merchant-session.ts";
import type { SendHttps } from "../https-request.ts";
import { readConfiguration } from "./wallet-configuration.sql.ts";
import { listKeys } from "./wallet-key.sql.ts";
import { usableKey } from "./wallet-key.ts";
import { readDecryptedKey } from "./wallet-key-secrets.ts";

/** Requests Apple's merchant session for an account, without which the Apple Pay sheet does not open. */
export type StartAppleSession = (
  account: AccountId,
  request: AppleSessionRequest,
) => Promise<AppleSessionResult>;

export type AppleSessionRequest = {
  readonly session: CheckoutSessionId;
  /** The URL of Apple's server, as the browser sent it. */
  readonly validationUrl: string;
  /** The domain of the top-level page, as the browser sent it. */
  readonly domain: string;
};

export type AppleSessionResult =
  | { readonly kind: "session"; readonly session: MerchantSession }
  /** The account does not accept Apple Pay, or its certificate has expired. */
  | { readonly kind: "not_offered" }
  | { readonly kind: "unknown_domain" }
  | { readonly kind: "invalid_url" }
  /** Too many requests to Apple wait for a response. */
  | { readonly kind: "busy" }
  /** Apple's server rejected the request, or did not respond. */
  | { readonly kind: "failed" };

type Deps = {
  readonly database: Database;
  readonly keys: KeyProvider;
  readonly clock: Clock;
  readonly isSandbox: boolean;
  readonly send: SendHttps;
  readonly log: { appleSessionFailed(account: AccountId, code: string): void };
  readonly onAppleSession?: (outcome: "created" | "failed") => void;
};

/** Creates the function that requests merchant sessions with the certificates of the accounts. */
export function createAppleSessions(deps: Deps): StartAppleSession {
  const { database, clock, isSandbox, send, log, onAppleSession } = deps;
  const slots = createSessionSlots();
  return async (account, { session, validationUrl, domain }) => {
    const url = parseValidationUrl(validationUrl, isSandbox);
    if (!url) return { kind: "invalid_url" };
    // The slot is taken before the first read, so that a flood of requests reads no keys.
    const end = slots.take(account, session);
    if (!end) return { kind: "busy" };
    try {
      const configuration = await readConfiguration(database.read, account, "apple_pay");
      if (configuration?.status !== "enabled") return { kind: "not_offered" };
      if (!configuration.domains.includes(domain)) return { kind: "unknown_domain" };
      const stored = await listKeys(database.read, account);
      const key = usableKey(stored, "apple_pay", "merchant_identity", clock.now());
      if (!key?.certificate) return { kind: "not_offered" };
      const privateKey = await readDecryptedKey(deps, account, key.id);
      if (!privateKey) return { kind: "not_offered" };
      const result = await requestMerchantSession(
        send,
        { certificate: key.certificate.der, privateKey },
        {
          url,
          merchantId: `${configuration.merchantId}`,
          displayName: configuration.displayName,
          domain,
        },
      );
      onAppleSession?.(result.kind === "session" ? "created" : "failed");
      if (result.kind === "session") return result;
      log.appleSessionFailed(account, result.code);
      return { kind: "failed" };
    } finally {
      end();
    }
  };
}
