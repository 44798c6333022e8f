import type { X509Certificate } from "node:crypto";
import { CardNumber, TokenCryptogram } from "../../card-number.ts";
import { readEci } from "../read-eci.ts";
import { isText, objectOf, parse } from "../read-json-object.ts";
import type { Recipient } from "../recipient.ts";
import {
  type ApprovedAmount,
  type DecryptedToken,
  type NetworkTokenCredential,
  rejectToken,
} from "../wallet-token.ts";
import { decryptData } from "./decrypt-data.ts";
import { parseToken } from "./parse-token.ts";
import { readSignature } from "./read-signature.ts";
import { rejectSignature } from "./verify-signature.ts";

/**
 * The time for which a token is accepted after it was signed. Apple recommends a few minutes. The customer's browser
 * sends the token immediately, so this is enough for several repeated requests.
 */
export const tokenLifeMs = 10 * 60_000;
/** The maximum time by which the signer's clock may be ahead. */
const maxClockDifferenceMs = 2 * 60_000;

/**
 * Verifies and decrypts an Apple Pay token of version EC_v1. Does not check whether the token was used before. The
 * buffer with the decrypted contents is overwritten before this function returns.
 */
export function decryptToken(
  text: string,
  root: X509Certificate,
  recipient: Recipient,
  now: Date,
): DecryptedToken {
  const parsed = parseToken(text);
  if (parsed.kind !== "token") return rejectToken(parsed.kind);
  const { token } = parsed;
  const signature = readSignature(token.signature);
  if (!signature) return rejectToken("malformed");
  const reason = rejectSignature(token, signature, root, now);
  if (reason) return rejectToken(reason);
  const { signedAt } = signature;
  const expiresAt = new Date(signedAt.getTime() + tokenLifeMs);
  const isFromFuture = signedAt.getTime() > now.getTime() + maxClockDifferenceMs;
  if (isFromFuture || expiresAt <= now) return rejectToken("expired");

  const plain = decryptData(token, recipient.id, recipient.privateKeys);
  if (!plain) return rejectToken("unknown_recipient_key");
  const contents = readContents(plain);
  plain.fill(0);
  if (!contents) return rejectToken("invalid_contents");
  const tokenId = `EC_v1 ${token.transactionId.toString("hex")}`;
  return { kind: "decrypted", ...contents, tokenId, expiresAt };
}

/** Reads the decrypted contents. Returns null if they do not describe a card. Ignores members that it does not use. */
function readContents(plain: Buffer): {
  readonly credential: NetworkTokenCredential;
  readonly approved: ApprovedAmount;
} | null {
  const contents = objectOf(parse(plain.toString()));
  const { applicationPrimaryAccountNumber: number, applicationExpirationDate: expiry } = contents;
  const { currencyCode, transactionAmount, paymentDataType, paymentData } = contents;
  const { onlinePaymentCryptogram: cryptogram, eciIndicator } = objectOf(paymentData);
  if (typeof number !== "string" || !/^[0-9]{12,19}$/.test(number)) return null;
  if (typeof expiry !== "string" || !/^[0-9]{6}$/.test(expiry)) return null;
  if (typeof currencyCode !== "string" || !Number.isSafeInteger(transactionAmount)) return null;
  if (paymentDataType !== "3DSecure" || !isText(cryptogram)) return null;
  return {
    credential: {
      kind: "network_token",
      number: new CardNumber(number),
      // The format is YYMMDD.
      expMonth: Number(expiry.slice(2, 4)),
      expYear: 2000 + Number(expiry.slice(0, 2)),
      cryptogram: new TokenCryptogram(cryptogram),
      eci: readEci(eciIndicator),
      source: "apple_pay",
    },
    approved: { amountMinor: transactionAmount as number, currencyNumber: currencyCode },
  };
}
