import { createPrivateKey, X509Certificate } from "node:crypto";
import type { AccountId } from "../../../core/ids.ts";
import { ExchangeFailed, type SendHttps } from "../https-request.ts";
import { parse } from "../read-json-object.ts";

/** A merchant session of Apple, whose members only the browser interprets. */
export type MerchantSession = Readonly<Record<string, unknown>>;

/** The certificate of a merchant at Apple, and its private key in PKCS #8. */
export type MerchantCredentials = { readonly certificate: Buffer; readonly privateKey: Buffer };

export type SessionRequest = {
  readonly url: URL;
  readonly merchantId: string;
  readonly displayName: string;
  /** The domain of the page that shows the button. */
  readonly domain: string;
};

export type SessionResult =
  | { readonly kind: "session"; readonly session: MerchantSession }
  /** There is no merchant session. The code is for the log, and contains no part of the request. */
  | { readonly kind: "failed"; readonly code: string };

const timeoutMs = 5_000;
const maxBodyBytes = 64 * 1024;

/**
 * The hosts of Apple's servers: the global one, one for each data center, and those for China. The name with `-cert` is
 * that of the sandbox (https://developer.apple.com/documentation/applepayontheweb/setting-up-your-server).
 */
const appleHost = /^(?:cn-)?apple-pay-gateway(?:-[a-z0-9]+)*\.apple\.com$/;
const sandboxHost = /-cert\.apple\.com$/;
const paths: ReadonlySet<string> = new Set([
  "/paymentservices/startSession",
  "/paymentservices/paymentSession",
]);

/**
 * Parses the URL of Apple's server that a browser names. Returns null for any other URL. A customer can send any URL,
 * and the request to it is authenticated with the merchant's certificate.
 */
export function parseValidationUrl(text: string, isSandbox: boolean): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, username, password, port, hostname, pathname, search, hash } = url;
  const isPlain = protocol === "https:" && port === "" && `${username}${password}` === "";
  const isExact = paths.has(pathname) && search === "" && hash === "";
  const isApple = appleHost.test(hostname) && (isSandbox || !sandboxHost.test(hostname));
  return isPlain && isExact && isApple ? url : null;
}

/** Requests a merchant session with mutual TLS. The private key is overwritten. */
export async function requestMerchantSession(
  send: SendHttps,
  { certificate, privateKey }: MerchantCredentials,
  { url, merchantId, displayName, domain }: SessionRequest,
): Promise<SessionResult> {
  const client = {
    certificate: new X509Certificate(certificate).toString(),
    // Node's TLS accepts a private key only in PEM.
    privateKey: createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" })
      .export({ format: "pem", type: "pkcs8" })
      .toString(),
  };
  privateKey.fill(0);
  const body = JSON.stringify({
    merchantIdentifier: merchantId,
    displayName,
    initiative: "web",
    initiativeContext: domain,
  });
  try {
    const response = await send({ url, method: "POST", body, client, timeoutMs, maxBodyBytes });
    if (response.status !== 200) return { kind: "failed", code: `STATUS_${response.status}` };
    const session = parse(response.body);
    return isObject(session)
      ? { kind: "session", session }
      : { kind: "failed", code: "INVALID_RESPONSE" };
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    return { kind: "failed", code: error.message };
  }
}

function isObject(value: unknown): value is MerchantSession {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The maximum number of requests to Apple that wait for a response. */
const maxWaitingOfAccount = 10;
const maxWaiting = 50;

/**
 * Counts the requests to Apple in this process. `take` returns null if there are too many, and otherwise the function
 * that ends the request. Without the limits, a slow response of Apple would hold the memory and the sockets of
 * every customer who opens a sheet.
 */
export function createSessionSlots(): { take(account: AccountId): (() => void) | null } {
  const waiting = new Map<AccountId, number>();
  let total = 0;
  return {
    take(account) {
      const ofAccount = waiting.get(account) ?? 0;
      if (ofAccount >= maxWaitingOfAccount || total >= maxWaiting) return null;
      waiting.set(account, ofAccount + 1);
      total += 1;
      return () => {
        const left = (waiting.get(account) ?? 1) - 1;
        if (left === 0) waiting.delete(account);
        else waiting.set(account, left);
        total -= 1;
      };
    },
  };
}
