import { randomBytes } from "node:crypto";
import { ControlError } from "./control-request.ts";
import { isObject, isOneOf, type JsonObject } from "./json-object.ts";
import { isLuhnValid } from "./luhn.ts";

const wallets = ["google_pay", "apple_pay"] as const;
export type Wallet = (typeof wallets)[number];

/** `PAN_ONLY` is a card on file at Google, without a cryptogram of the device (developers.google.com/pay/api/web). */
const authMethods = ["CRYPTOGRAM_3DS", "PAN_ONLY"] as const;

/** The card in a token. Only the wallet and the acquirer know it. */
export type WalletCard = {
  readonly wallet: Wallet;
  readonly number: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly authMethod: (typeof authMethods)[number];
};

/** The maximum number of tokens in memory. At this number, each new token removes the oldest one. */
const maxTokens = 10_000;

/**
 * The tokens that a fake acquirer can decrypt. The ciphertext of a token is random, and serves as the key of a map of
 * cards. The token has the documented form: protocol ECv2 of Google Pay
 * (developers.google.com/pay/api/web/guides/resources/payment-data-cryptography), and `EC_v1` of Apple Pay
 * (developer.apple.com/documentation/passkit/payment-token-format-reference).
 */
export class WalletTokens {
  readonly #cards = new Map<string, WalletCard>();
  readonly #used = new Set<string>();

  /**
   * Creates a token as the wallet does. Returns the token as an object. Google Pay returns the JSON text of this
   * object.
   */
  create(card: WalletCard): JsonObject {
    const oldest = this.#cards.keys().next().value;
    if (this.#cards.size >= maxTokens && oldest !== undefined) {
      this.#cards.delete(oldest);
      this.#used.delete(oldest);
    }
    const ciphertext = base64(256);
    this.#cards.set(ciphertext, card);
    return card.wallet === "google_pay" ? googleToken(ciphertext) : appleToken(ciphertext);
  }

  /**
   * Returns the card, and marks the token as used. Returns `unreadable` for a token that cannot be decrypted, and
   * `used` for a token that has been used.
   */
  use(wallet: Wallet, token: unknown): WalletCard | "unreadable" | "used" {
    const ciphertext = wallet === "google_pay" ? googleCiphertext(token) : appleCiphertext(token);
    const card = ciphertext === null ? undefined : this.#cards.get(ciphertext);
    if (ciphertext === null || card?.wallet !== wallet) return "unreadable";
    if (this.#used.has(ciphertext)) return "used";
    this.#used.add(ciphertext);
    return card;
  }
}

/** Reads the body of a command that creates a token. The default is a Google Pay token with a cryptogram. */
export function readWalletCard(body: JsonObject): WalletCard {
  const { wallet = "google_pay", number, authMethod = "CRYPTOGRAM_3DS" } = body;
  if (!isOneOf(wallets, wallet)) {
    throw new ControlError(`wallet must be one of ${wallets.join(", ")}.`);
  }
  if (!isOneOf(authMethods, authMethod)) {
    throw new ControlError(`authMethod must be one of ${authMethods.join(", ")}.`);
  }
  if (typeof number !== "string" || !isLuhnValid(number)) {
    throw new ControlError("number must be a card number.");
  }
  const { expMonth = 12, expYear = 2040 } = body;
  return { wallet, number, expMonth: Number(expMonth), expYear: Number(expYear), authMethod };
}

function googleToken(ciphertext: string): JsonObject {
  const signedKey = JSON.stringify({ keyValue: base64(91), keyExpiration: "2145916800000" });
  return {
    protocolVersion: "ECv2",
    signature: base64(71),
    intermediateSigningKey: { signedKey, signatures: [base64(71)] },
    signedMessage: JSON.stringify({
      encryptedMessage: ciphertext,
      ephemeralPublicKey: base64(65),
      tag: base64(32),
    }),
  };
}

function appleToken(ciphertext: string): JsonObject {
  return {
    version: "EC_v1",
    data: ciphertext,
    signature: base64(1200),
    header: {
      ephemeralPublicKey: base64(91),
      publicKeyHash: base64(32),
      transactionId: randomBytes(32).toString("hex"),
    },
  };
}

/** Returns the encrypted message of a complete token, or null. */
function googleCiphertext(token: unknown): string | null {
  if (!isObject(token) || token.protocolVersion !== "ECv2") return null;
  if (typeof token.signature !== "string" || !isObject(token.intermediateSigningKey)) return null;
  const message = parseObject(token.signedMessage);
  return typeof message?.encryptedMessage === "string" ? message.encryptedMessage : null;
}

function appleCiphertext(token: unknown): string | null {
  if (!isObject(token) || token.version !== "EC_v1" || !isObject(token.header)) return null;
  const { ephemeralPublicKey, publicKeyHash, transactionId } = token.header;
  const texts = [ephemeralPublicKey, publicKeyHash, transactionId, token.signature];
  if (!texts.every((text) => typeof text === "string" && text !== "")) return null;
  return typeof token.data === "string" ? token.data : null;
}

/** Returns the object in a JSON text, or null. */
export function parseObject(text: unknown): JsonObject | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function base64(bytes: number): string {
  return randomBytes(bytes).toString("base64");
}
