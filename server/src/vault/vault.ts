import type { DigitalWallet } from "@florin/contract/payment-method.ts";
import type { Clock } from "../core/clock.ts";
import { type CheckoutSessionId, newId, type PaymentMethodId, uuidOf } from "../core/ids.ts";
import type { Scope } from "../core/scope.ts";
import { batchReads } from "../platform/database/batch-reads.ts";
import type { Database } from "../platform/database/database.ts";
import type { Tx } from "../platform/database/sql.ts";
import { alone, type Siblings } from "../platform/processes/siblings.ts";
import {
  type CardCredentials,
  type CardholderDetails,
  CardNumber,
  GatewayToken,
  type PayerDetails,
  SecurityCode,
  TokenCryptogram,
} from "./card-number.ts";
import {
  decryptEnvelope,
  type EncryptedData,
  type EncryptionContext,
  encryptEnvelope,
} from "./envelope-encryption.ts";
import { gatewayTokens } from "./gateway-tokens.ts";
import type { KeyProvider } from "./key-provider.ts";
import { type ParsedCard, parseSecurityCode } from "./parse-card.ts";
import { createPaymentSecrets, type SecretFor } from "./payment-secrets.ts";
import { securityCodes } from "./security-codes.ts";
import {
  type CardKey,
  deleteCard,
  insertCard,
  readCards,
  requestErasure,
  type StoredPurpose,
} from "./vault.sql.ts";

/** The only store of card numbers. Card numbers are encrypted at rest and decrypted only for the acquirer. */
export type Vault = {
  /** Encrypts a card under a new ID. Call it with no transaction open, because it may call a key server. */
  encryptCard(scope: Scope, card: ParsedCard): Promise<EncryptedCard>;
  /**
   * Encrypts the details of a payer who pays with a wallet's token that only an acquirer can decrypt. The token itself
   * is not stored.
   */
  encryptPayer(scope: Scope, payer: PayerDetails): Promise<EncryptedPayer>;
  /** Inserts an encrypted card or payer. Call it in the transaction that inserts the payment method. */
  store(tx: Tx, encrypted: EncryptedPayer): Promise<void>;
  /** Keeps a wallet's token in memory, for one payment of the session. */
  keepGatewayToken(payment: SecretFor, token: GatewayToken): Promise<void>;
  /** Keeps the security code or the cryptogram of a new card in memory, for one payment of the session. */
  keepCodeOfNewCard(card: EncryptedCard, session: CheckoutSessionId): Promise<void>;
  /**
   * Keeps in memory the security code that a customer typed for a saved card, for one payment of the session. Returns
   * false if the code is invalid for the brand.
   */
  keepSecurityCode(payment: SecretFor, typed: string, brand: ParsedCard["brand"]): Promise<boolean>;
  /** Returns the card without its security code or cryptogram. Returns null if the scope has no such card. */
  readWithoutCode(scope: Scope, id: PaymentMethodId): Promise<CardCredentials | null>;
  /** Loads the security code or the cryptogram of this payment, which another process may have received. */
  loadSecurityCode(payment: SecretFor): Promise<void>;
  /** Returns the loaded security code of this payment. Returns null after the first call. */
  takeSecurityCode(payment: SecretFor): SecurityCode | null;
  /** Returns the loaded cryptogram of this payment. Returns null after the first call. */
  takeCryptogram(payment: SecretFor): TokenCryptogram | null;
  /** Returns the payer of a wallet's token. Returns null if the scope has no such payment method. */
  readPayer(scope: Scope, id: PaymentMethodId): Promise<PayerDetails | null>;
  /** Loads the wallet's token of this payment, which another process may have received. */
  loadGatewayToken(payment: SecretFor): Promise<void>;
  /** Returns the loaded token of this payment. Returns null after the first call. */
  takeGatewayToken(payment: SecretFor): GatewayToken | null;
  /** Deletes the card. It cannot be recovered from the remaining data. */
  erase(tx: Tx, scope: Scope, id: PaymentMethodId): Promise<void>;
  /** Marks the card for deletion once no charge needs it. Until then a charge in progress can read it. */
  scheduleErasure(tx: Tx, scope: Scope, id: PaymentMethodId, now: Date): Promise<void>;
  /**
   * Returns a fingerprint of the card number. It is the same for the same number and merchant, and does not reveal the
   * number.
   */
  fingerprint(scope: Scope, number: CardNumber): Promise<string>;
};

/** The encrypted details of a payer, ready to be stored. */
export type EncryptedPayer = {
  /** The ID of the payment method. */
  readonly id: PaymentMethodId;
  readonly scope: Scope;
  readonly encrypted: EncryptedData;
};

/** An encrypted card that is ready to be stored, with the card data that may be shown. */
export type EncryptedCard = EncryptedPayer & {
  readonly brand: ParsedCard["brand"];
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly fingerprint: string;
  /** The security code, or the cryptogram of a network token. It is not part of `encrypted`. */
  readonly code: SecurityCode | TokenCryptogram | null;
};

export type VaultOptions = {
  readonly keys: KeyProvider;
  readonly clock: Clock;
  readonly database: Database;
  readonly siblings?: Siblings;
};

export function createVault({ keys, clock, database, siblings = alone }: VaultOptions): Vault {
  const codes = createPaymentSecrets(securityCodes, clock, siblings.primary);
  const tokens = createPaymentSecrets(gatewayTokens, clock, siblings.primary);
  // Every charge of a stored card reads the card, so concurrent charges share a statement.
  const readCard = batchReads((keys: readonly CardKey[]) => readCards(database.read, keys));

  async function decryptStored(
    scope: Scope,
    id: PaymentMethodId,
    purpose: StoredPurpose,
  ): Promise<Buffer | null> {
    const encrypted = await readCard({ scope, id });
    return encrypted && decryptEnvelope(keys, encryptionContextOf(scope, id, purpose), encrypted);
  }

  return {
    async encryptCard(scope, { brand, credentials }) {
      const id = newId("pm", clock.now());
      const { number, expMonth, expYear, securityCode, networkToken } = credentials;
      const [encrypted, fingerprint] = await Promise.all([
        encryptEnvelope(keys, encryptionContextOf(scope, id, "card"), encode(credentials)),
        fingerprintOf(keys, scope, number),
      ]);
      const { last4 } = number;
      const code = networkToken ? networkToken.cryptogram : securityCode;
      return { id, scope, brand, last4, expMonth, expYear, fingerprint, encrypted, code };
    },

    async encryptPayer(scope, payer) {
      const id = newId("pm", clock.now());
      const context = encryptionContextOf(scope, id, "payer");
      return { id, scope, encrypted: await encryptEnvelope(keys, context, encodePayer(payer)) };
    },

    store: (tx, { scope, id, encrypted }) => insertCard(tx, scope, id, encrypted),

    keepGatewayToken: tokens.keep,

    async keepCodeOfNewCard({ scope, id, code }, session) {
      if (code) await codes.keep({ scope, id, session }, code);
    },

    async keepSecurityCode(payment, typed, brand) {
      const code = parseSecurityCode(typed, brand);
      if (code) await codes.keep(payment, code);
      return code !== null;
    },

    async readWithoutCode(scope, id) {
      const plain = await decryptStored(scope, id, "card");
      return plain && { ...decode(plain), securityCode: null };
    },

    loadSecurityCode: codes.load,
    takeSecurityCode(payment) {
      const code = codes.take(payment);
      return code && new SecurityCode(code.reveal());
    },
    takeCryptogram(payment) {
      const code = codes.take(payment);
      return code && new TokenCryptogram(code.reveal());
    },

    async readPayer(scope, id) {
      const plain = await decryptStored(scope, id, "payer");
      return plain && decodePayer(plain);
    },
    loadGatewayToken: tokens.load,
    takeGatewayToken(payment) {
      const token = tokens.take(payment);
      return token && new GatewayToken(token.reveal());
    },

    async erase(tx, scope, id) {
      codes.drop(scope, id);
      tokens.drop(scope, id);
      await deleteCard(tx, scope, id);
    },

    scheduleErasure: requestErasure,

    fingerprint: (scope, number) => fingerprintOf(keys, scope, number),
  };
}

export function encryptionContextOf(
  scope: Scope,
  id: PaymentMethodId,
  purpose: StoredPurpose,
): EncryptionContext {
  return { scope, id, purpose };
}

/** The plaintext of a stored payer. */
type PayerAtRest = {
  readonly postal_code: string | null;
  readonly address_line1: string | null;
  readonly holder?: CardholderDetails;
};

/**
 * The plaintext of a stored card. It must never include the security code (PCI DSS requirement 3.3.1) or the cryptogram
 * of a network token.
 */
type CardAtRest = PayerAtRest & {
  readonly number: string;
  readonly exp_month: number;
  readonly exp_year: number;
  readonly network_token?: { readonly eci: string | null; readonly source: DigitalWallet };
};

function encode(card: CardCredentials): Buffer {
  const atRest: CardAtRest = {
    number: card.number.reveal(),
    exp_month: card.expMonth,
    exp_year: card.expYear,
    ...payerAtRest(card),
    ...(card.networkToken && {
      network_token: { eci: card.networkToken.eci, source: card.networkToken.source },
    }),
  };
  return Buffer.from(JSON.stringify(atRest));
}

function decode(plain: Buffer): Omit<CardCredentials, "securityCode"> {
  const atRest = JSON.parse(plain.toString()) as CardAtRest;
  plain.fill(0);
  return {
    number: new CardNumber(atRest.number),
    expMonth: atRest.exp_month,
    expYear: atRest.exp_year,
    ...payerOf(atRest),
    ...(atRest.network_token && {
      networkToken: { cryptogram: null, ...atRest.network_token },
    }),
  };
}

function encodePayer(payer: PayerDetails): Buffer {
  return Buffer.from(JSON.stringify(payerAtRest(payer)));
}

function decodePayer(plain: Buffer): PayerDetails {
  const atRest = JSON.parse(plain.toString()) as PayerAtRest;
  plain.fill(0);
  return payerOf(atRest);
}

function payerAtRest({ postalCode, addressLine1, holder }: PayerDetails): PayerAtRest {
  return { postal_code: postalCode, address_line1: addressLine1, ...(holder && { holder }) };
}

function payerOf({ postal_code, address_line1, holder }: PayerAtRest): PayerDetails {
  return { postalCode: postal_code, addressLine1: address_line1, ...(holder && { holder }) };
}

/**
 * Returns the fingerprint. It is a keyed hash, because an attacker could try all card numbers against an unkeyed hash.
 * It includes the account, so that two merchants cannot match their customers by fingerprint.
 */
async function fingerprintOf(keys: KeyProvider, scope: Scope, number: CardNumber): Promise<string> {
  const message = Buffer.from(`card_fingerprint|${uuidOf(scope.account)}|${number.reveal()}`);
  return base62(await keys.mac(scope.livemode, message), fingerprintLength);
}

/** 16 characters of base62 are 95 bits, which makes a collision among a merchant's cards negligible. */
const fingerprintLength = 16;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(bytes: Buffer, length: number): string {
  let number = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (let index = 0; index < length; index++) {
    text += alphabet[Number(number % 62n)];
    number /= 62n;
  }
  return text;
}
