import { X509Certificate } from "node:crypto";
import type { AccountId, CheckoutSessionId } from "../../../core/ids.ts";
import { ExchangeFailed, type SendHttps } from "../https-request.ts";
import { parse } from "../read-json-object.ts";

/** Apple's merchant session. Only the browser interprets its members. */
export type MerchantSession = Readonly<Record<string, unknown>>;

/** A merchant's certificate from Apple, and its private key in PKCS #8. */
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
 * The hosts of Apple's servers: the global one and the one for China. The sandbox has its own
 * (https://developer.apple.com/documentation/applepayontheweb/setting-up-your-server). Earlier versions of the page list
 * the hosts of the data centers instead, each with a second one for disaster recovery. A browser can still name them.
 */
const liveHosts: readonly string[] = [
  "apple-pay-gateway.apple.com",
  "cn-apple-pay-gateway.apple.com",
  ...dataCenterHosts("apple-pay-gateway", ["nc", "pr"], 5),
  ...dataCenterHosts("cn-apple-pay-gateway", ["sh", "tj"], 3),
];
const sandboxHosts: readonly string[] = [
  "apple-pay-gateway-cert.apple.com",
  "cn-apple-pay-gateway-cert.apple.com",
];
const paths: readonly string[] = [
  "/paymentservices/startSession",
  "/paymentservices/paymentSession",
];

function dataCenterHosts(name: string, centers: readonly string[], pods: number): string[] {
  return centers.flatMap((center) =>
    Array.from({ length: pods }, (_, index) => `${name}-${center}-pod${index + 1}`).flatMap(
      (pod) => [`${pod}.apple.com`, `${pod}-dr.apple.com`],
    ),
  );
}

/**
 * Returns the URL of Apple's server that a browser names. Returns null for any other URL. A customer can send any URL,
 * and the request to it is authenticated with the merchant's certificate. The returned URL is therefore built only from
 * constants.
 */
export function parseValidationUrl(text: string, isSandbox: boolean): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, username, password, port, search, hash } = url;
  const isPlain = protocol === "https:" && port === "" && `${username}${password}` === "";
  const hosts = isSandbox ? [...liveHosts, ...sandboxHosts] : liveHosts;
  const host = hosts.find((known) => known === url.hostname);
  const path = paths.find((known) => known === url.pathname);
  if (!isPlain || search !== "" || hash !== "" || !host || !path) return null;
  return new URL(`https://${host}${path}`);
}

/** Requests a merchant session with mutual TLS. The private key is overwritten. */
export async function requestMerchantSession(
  send: SendHttps,
  { certificate, privateKey }: MerchantCredentials,
  { url, merchantId, displayName, domain }: SessionRequest,
): Promise<SessionResult> {
  const client = {
    certificate: new X509Certificate(certificate).toString(),
    privateKey: pemOf(privateKey),
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
  } finally {
    client.privateKey.fill(0);
  }
}

const pemBegin = Buffer.from("-----BEGIN PRIVATE KEY-----\n");
const pemEnd = Buffer.from("\n-----END PRIVATE KEY-----\n");
const base64Digits = Buffer.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
);

/**
 * Encodes a private key in PEM (RFC 7468), which is the only format that Node's TLS accepts. The result is a buffer,
 * because a string cannot be overwritten. Node's own encoders return strings.
 */
function pemOf(der: Buffer): Buffer {
  const pem = Buffer.alloc(pemBegin.length + 2 * der.length + 4 + pemEnd.length);
  let length = pemBegin.copy(pem);
  const write = (byte: number) => {
    pem[length] = byte;
    length += 1;
  };
  for (let at = 0; at < der.length; at += 3) {
    // A line has 64 digits, which encode 48 bytes.
    if (at > 0 && at % 48 === 0) write(0x0a);
    const [first = 0, second = 0, third = 0] = der.subarray(at, at + 3);
    const bits = (first << 16) | (second << 8) | third;
    const padding = Math.max(0, at + 3 - der.length);
    for (let digit = 0; digit < 4; digit++) {
      const isPadding = digit >= 4 - padding;
      write(isPadding ? 0x3d : (base64Digits[(bits >> (18 - 6 * digit)) & 63] as number));
    }
  }
  length += pemEnd.copy(pem, length);
  return pem.subarray(0, length);
}

function isObject(value: unknown): value is MerchantSession {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The maximum number of requests to Apple that wait for a response. */
const maxWaitingOfAccount = 10;
const maxWaiting = 50;

/**
 * Counts the requests to Apple in this process. `take` returns the function that ends the request. It returns null if
 * there are too many requests, or if another request of the same checkout session waits. Without the limits, a slow
 * response from Apple would hold memory and sockets for every customer who opens a sheet, and one customer could use up
 * the limit of an account.
 */
export function createSessionSlots(): {
  take(account: AccountId, session: CheckoutSessionId): (() => void) | null;
} {
  const waiting = new Map<AccountId, Set<CheckoutSessionId>>();
  let total = 0;
  return {
    take(account, session) {
      const ofAccount = waiting.get(account) ?? new Set();
      if (ofAccount.has(session)) return null;
      if (ofAccount.size >= maxWaitingOfAccount || total >= maxWaiting) return null;
      waiting.set(account, ofAccount.add(session));
      total += 1;
      return () => {
        ofAccount.delete(session);
        if (ofAccount.size === 0) waiting.delete(account);
        total -= 1;
      };
    },
  };
}
