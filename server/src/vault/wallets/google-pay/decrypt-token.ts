import { CardNumber, TokenCryptogram } from "../../card-number.ts";
import { readEci } from "../read-eci.ts";
import { isText, objectOf, parse } from "../read-json-object.ts";
import type { Recipient } from "../recipient.ts";
import { type DecryptedToken, rejectToken, type WalletCredential } from "../wallet-token.ts";
import { decryptMessage } from "./decrypt-message.ts";
import { parseToken } from "./parse-token.ts";
import { type RootKey, readMilliseconds } from "./root-keys.ts";
import { rejectSignatures } from "./verify-token.ts";

/**
 * The maximum time until a token expires. Google's tokens are valid for a week. The use of a token is stored until the
 * token expires. Without this limit, the row could stay for years.
 */
const maxTokenLifeMs = 30 * 24 * 60 * 60_000;

/**
 * Verifies and decrypts a Google Pay token of protocol version ECv2. Does not check whether the token was used before.
 * The buffer with the decrypted contents is overwritten before this function returns.
 */
export function decryptToken(
  text: string,
  rootKeys: readonly RootKey[],
  recipient: Recipient,
  now: Date,
): DecryptedToken {
  const parsed = parseToken(text);
  if (parsed.kind !== "token") return rejectToken(parsed.kind);
  const { token } = parsed;
  const reason = rejectSignatures(token, rootKeys, recipient.id, now);
  if (reason) return rejectToken(reason);
  const decrypted = decryptMessage(token.signedMessage, recipient.privateKeys);
  if (decrypted.kind !== "message") return rejectToken(decrypted.kind);
  const contents = readContents(decrypted.plain);
  decrypted.plain.fill(0);
  if (!contents) return rejectToken("invalid_contents");
  const validForMs = contents.expiresAt.getTime() - now.getTime();
  if (validForMs > maxTokenLifeMs) return rejectToken("invalid_contents");
  if (validForMs <= 0) return rejectToken("expired");
  return { kind: "decrypted", ...contents, approved: null };
}

/** Reads the decrypted contents. Returns null if they do not describe a card. Ignores members that it does not use. */
function readContents(plain: Buffer): {
  readonly credential: WalletCredential;
  readonly tokenId: string;
  readonly expiresAt: Date;
} | null {
  const message = objectOf(parse(plain.toString()));
  const { messageId, messageExpiration, paymentMethod, paymentMethodDetails } = message;
  const expiresAt = readMilliseconds(messageExpiration);
  const credential = readCredential(objectOf(paymentMethodDetails));
  if (paymentMethod !== "CARD" || !isText(messageId) || !expiresAt || !credential) return null;
  return { credential, tokenId: `ECv2 ${messageId}`, expiresAt };
}

function readCredential(details: Readonly<Record<string, unknown>>): WalletCredential | null {
  const { authMethod, pan, expirationMonth, expirationYear, cryptogram, eciIndicator } = details;
  if (typeof pan !== "string" || !/^[0-9]{12,19}$/.test(pan)) return null;
  if (!isInteger(expirationMonth) || !isInteger(expirationYear)) return null;
  const card = { number: new CardNumber(pan), expMonth: expirationMonth, expYear: expirationYear };
  switch (authMethod) {
    case "PAN_ONLY":
      return { kind: "card", ...card };
    case "CRYPTOGRAM_3DS": {
      if (!isText(cryptogram)) return null;
      const proof = { cryptogram: new TokenCryptogram(cryptogram), eci: readEci(eciIndicator) };
      return { kind: "network_token", ...card, ...proof, source: "google_pay" };
    }
    default:
      return null;
  }
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}
