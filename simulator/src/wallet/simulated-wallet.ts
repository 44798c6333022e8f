import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  randomUUID,
  X509Certificate,
} from "node:crypto";
import { currencies, currencyNumber } from "@florin/contract/currency.ts";
import { ApiError } from "@florin/server/core/api-error.ts";
import type { Clock } from "@florin/server/core/clock.ts";
import type { Access } from "@florin/server/platform/http/access.ts";
import { acceptForms, formOf } from "@florin/server/platform/http/form-body.ts";
import { decodeBase64 } from "@florin/server/vault/wallets/decode-base64.ts";
import type { TestWallet } from "@florin/server/vault/wallets/wallets.ts";
import type { FastifyInstance } from "fastify";
import {
  type AppleCertificates,
  createAppleCertificates,
  createRootCertificate,
} from "./apple-certificates.ts";
import { encryptAppleToken } from "./encrypt-apple-token.ts";
import { createSigningKey, encryptToken, type SigningKey } from "./encrypt-token.ts";
import {
  applePayContents,
  googlePayDetails,
  shownCards,
  type WalletCard,
  walletCards,
} from "./wallet-cards.ts";

export type SimulatedWallet = TestWallet & {
  /** Serves tokens to the browsers of customers. */
  servePages(app: FastifyInstance): void;
};

const tokenPath = "/simulator/wallet/tokens";
const access: Access = { authentication: "public", limit: "checkout" };

const day = 24 * 60 * 60_000;
/** Tokens and signing keys are valid for a week, like those of Google. */
const tokenLifeMs = 7 * day;
const signingKeyLifeMs = 7 * day;
/** A signing key is replaced before it expires, so that the tokens that it signs can still be used for a day. */
const signsForMs = 6 * day;
const rootKeyExpiresAt = new Date("2100-01-01T00:00:00Z");

/** The keys that sign tokens, in the two formats. */
type SigningKeys = { readonly google: SigningKey; readonly apple: AppleCertificates };

/**
 * The wallet of test mode. It returns tokens in the formats of Google Pay (ECv2) and Apple Pay (EC_v1) that it signs
 * with its own root key and encrypts to the merchant's key, so that the service verifies and decrypts them as it does
 * real ones.
 */
export function createSimulatedWallet(clock: Clock): SimulatedWallet {
  const root = rootKey();
  let signing: { readonly keys: SigningKeys; readonly createdAtMs: number } | null = null;

  function signingKeys(): SigningKeys {
    const now = clock.now().getTime();
    const isFresh = signing && now >= signing.createdAtMs && now < signing.createdAtMs + signsForMs;
    if (signing && isFresh) return signing.keys;
    const expiresAt = new Date(now + signingKeyLifeMs);
    const keys = {
      google: createSigningKey(root, expiresAt),
      apple: createAppleCertificates(root, new Date(now - day), expiresAt),
    };
    signing = { keys, createdAtMs: now };
    return keys;
  }

  /** Returns a token for the request. Throws if the public key is not a point of P-256. */
  function tokenOf({ card, recipient, payment }: TokenRequest): string {
    const now = clock.now();
    if (card.format === "apple_pay") {
      const contents = applePayContents(card, payment, now);
      return encryptAppleToken(contents, signingKeys().apple, recipient, now);
    }
    const message = {
      messageId: randomUUID(),
      messageExpiration: String(now.getTime() + tokenLifeMs),
      paymentMethod: "CARD",
      paymentMethodDetails: googlePayDetails(card, now),
    };
    return encryptToken(message, signingKeys().google, recipient);
  }

  /** Returns a token for the form that a browser has posted. Returns null if the form is invalid. */
  function tokenFor(form: URLSearchParams): string | null {
    const request = readRequest(form);
    if (!request) return null;
    try {
      return tokenOf(request);
    } catch {
      return null;
    }
  }

  return {
    rootKeys: rootKeyList(root),
    rootCertificate: new X509Certificate(createRootCertificate(root)).toString(),
    tokenPath,
    cards: shownCards,
    servePages(app) {
      app.register(async (routes) => {
        acceptForms(routes);
        routes.post(tokenPath, { config: { access } }, async (request, reply) => {
          const token = tokenFor(formOf(request));
          if (token === null) {
            throw new ApiError(
              "parameter_invalid",
              "The fields of the form must describe a card of the test wallet, a recipient, and an amount in a supported currency.",
            );
          }
          return reply.header("content-type", "application/json").send(JSON.stringify({ token }));
        });
      });
    },
  };
}

/** A request for a token, as the card form sends it. */
type TokenRequest = {
  readonly card: WalletCard;
  readonly recipient: { readonly id: string; readonly publicKey: Buffer };
  readonly payment: { readonly amountMinor: number; readonly currencyNumber: string };
};

function readRequest(form: URLSearchParams): TokenRequest | null {
  const card = walletCards.find(({ id }) => id === form.get("card"));
  const publicKey = decodeBase64(form.get("public_key") ?? "");
  const id = form.get("recipient_id");
  const amount = form.get("amount") ?? "";
  const currency = currencies.find((one) => one === form.get("currency"));
  if (!card || !publicKey || !id || !/^[0-9]{1,12}$/.test(amount) || !currency) return null;
  const payment = { amountMinor: Number(amount), currencyNumber: currencyNumber(currency) };
  return { card, recipient: { id, publicKey }, payment };
}

/** Returns the list of root keys in the format of Google's file `keys.json`. */
function rootKeyList(root: KeyObject): string {
  const keyValue = createPublicKey(root).export({ format: "der", type: "spki" }).toString("base64");
  const keyExpiration = String(rootKeyExpiresAt.getTime());
  return JSON.stringify({ keys: [{ keyValue, protocolVersion: "ECv2", keyExpiration }] });
}

/**
 * Returns the root key, which is derived from a hash and therefore the same in every process. It is not secret, because
 * it protects only test cards. The hash is a valid private key of P-256.
 */
function rootKey(): KeyObject {
  const scalar = hash("sha256", "the simulated wallet", "buffer");
  // RFC 5915: version 1, the private scalar and the object identifier of P-256.
  const der = Buffer.concat([
    Buffer.from("30310201010420", "hex"),
    scalar,
    Buffer.from("a00a06082a8648ce3d030107", "hex"),
  ]);
  return createPrivateKey({ key: der, format: "der", type: "sec1" });
}
