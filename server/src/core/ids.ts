import { randomFillSync } from "node:crypto";

/**
 * Ids are TypeIDs: a prefix and a UUIDv7 in 26 characters of Crockford's base32 (`ch_01jb…`). They sort by creation
 * time, so the primary key is also the order of every list. Postgres stores the plain uuid.
 */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

export type AccountId = Id<"acct">;
export type ApiKeyId = Id<"key">;
/** The account's id with another prefix, because each account has one application. */
export type ApplicationId = Id<"app">;
export type AssignmentId = Id<"asg">;
export type AuditEntryId = Id<"log">;
export type BalanceTransactionId = Id<"txn">;
export type ChargeId = Id<"ch">;
export type CheckoutSessionId = Id<"cs">;
export type ConnectionId = Id<"con">;
export type CustomerId = Id<"cus">;
export type DecisionId = Id<"dec">;
export type RuleId = Id<"rule">;
export type ListEntryId = Id<"lst">;
export type DeliveryId = Id<"whd">;
export type DisputeId = Id<"dp">;
export type DisputeFileId = Id<"file">;
export type DocumentId = Id<"doc">;
/** A capture, void or refund of a charge. The operation of a refund has the same uuid as the refund. */
export type OperationId = Id<"op">;
export type EventId = Id<"evt">;
export type InvitationId = Id<"inv">;
/** The notification about an event has the same uuid as the event. */
export type TeamNotificationId = Id<"tn">;
export type MemberId = Id<"mem">;
export type PaymentMethodId = Id<"pm">;
export type PayoutId = Id<"po">;
export type PersonId = Id<"per">;
export type ReconciliationId = Id<"rec">;
export type DifferenceId = Id<"dif">;
/** The receipt of a payment or refund has the same uuid as its event. */
export type ReceiptId = Id<"rcpt">;
export type RefundId = Id<"re">;
export type RequestId = Id<"req">;
export type SessionId = Id<"ses">;
export type SettlementId = Id<"stl">;
export type SavedViewId = Id<"view">;
/** A verification of a card with the amount zero, which saves the card. */
export type VerificationId = Id<"cv">;
/** An attempt for which an acquirer's or an issuer's approval is requested: a charge, or the verification of a card. */
export type AttemptId = ChargeId | VerificationId;
export type WebhookEndpointId = Id<"we">;
/** An account's key for a wallet. */
export type WalletKeyId = Id<"wk">;
export type MailId = Id<"mail">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const suffixLength = 26;

const base32Code = Buffer.from(alphabet, "latin1");
const base32Value = new Int8Array(128).fill(-1);
for (let value = 0; value < 32; value++) base32Value[base32Code[value] as number] = value;
const hexDigit = Buffer.from("0123456789abcdef", "latin1");
const digitValue = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) digitValue[hexDigit[value] as number] = value;

/**
 * Buffers that all conversions reuse, so that no conversion concatenates strings. A charge creates, parses or converts
 * about a dozen ids. Characters are written to `characters` and decoded as one string. Bytes are held in `uuidBytes`.
 */
const characters = Buffer.alloc(64);
const uuidBytes = new Uint8Array(16);

/** Random bytes are read a page at a time, so that one system call serves about four hundred ids. */
const randomPage = Buffer.alloc(4096);
let randomOffset = randomPage.length;

/** Creates an id whose first 48 bits are `now` in milliseconds (RFC 9562, UUID version 7). */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): Id<Prefix> {
  if (randomOffset + 10 > randomPage.length) {
    randomFillSync(randomPage);
    randomOffset = 0;
  }
  writeTimestamp(now.getTime());
  for (let index = 6; index < 16; index++) {
    uuidBytes[index] = randomPage[randomOffset++] as number;
  }
  uuidBytes[6] = 0x70 | ((uuidBytes[6] as number) & 0x0f);
  uuidBytes[8] = 0x80 | ((uuidBytes[8] as number) & 0x3f);
  return idOfBytes(prefix);
}

function writeTimestamp(milliseconds: number): void {
  const high = Math.floor(milliseconds / 0x1_0000);
  uuidBytes[0] = (high >>> 24) & 0xff;
  uuidBytes[1] = (high >>> 16) & 0xff;
  uuidBytes[2] = (high >>> 8) & 0xff;
  uuidBytes[3] = high & 0xff;
  uuidBytes[4] = (milliseconds >>> 8) & 0xff;
  uuidBytes[5] = milliseconds & 0xff;
}

/**
 * Returns the id for the uuid in `uuidBytes`. Two leading zero bits and the 128 bits of the uuid form 26 characters of
 * 5 bits.
 */
function idOfBytes<Prefix extends string>(prefix: Prefix): Id<Prefix> {
  let end = characters.write(prefix, "latin1");
  characters[end++] = 0x5f; // _
  let buffer = 0;
  let bits = 2; // the two leading zero bits
  for (let index = 0; index < 16; index++) {
    buffer = (buffer << 8) | (uuidBytes[index] as number);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      characters[end++] = base32Code[(buffer >>> bits) & 31] as number;
    }
    buffer &= (1 << bits) - 1;
  }
  return characters.toString("latin1", 0, end) as Id<Prefix>;
}

/** Returns the uuid that Postgres stores for this id. The id must come from `newId`, `idFromUuid` or `parseId`. */
export function uuidOf(id: Id<string>): string {
  writeUuidBytes(id, uuidBytes, 0);
  return uuidOfBytes();
}

export function uuidOfNullable(id: Id<string> | null): string | null {
  return id === null ? null : uuidOf(id);
}

function uuidOfBytes(): string {
  let end = 0;
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) characters[end++] = hyphen;
    const byte = uuidBytes[index] as number;
    characters[end++] = hexDigit[byte >>> 4] as number;
    characters[end++] = hexDigit[byte & 15] as number;
  }
  return characters.toString("latin1", 0, end);
}

const hyphen = 0x2d;

/** Returns the API's id for a uuid from Postgres. */
export function idFromUuid<Prefix extends string>(prefix: Prefix, uuid: string): Id<Prefix> {
  writeBytesOfUuid(uuid, uuidBytes, 0);
  return idOfBytes(prefix);
}

/** Parses a uuid in the text form of Postgres. Writes its 16 bytes to `target` at `offset`. */
export function writeBytesOfUuid(uuid: string, target: Uint8Array, offset: number): void {
  let next = offset;
  for (let index = 0; index < uuid.length; index += 2) {
    if (uuid.charCodeAt(index) === hyphen) index += 1;
    const high = digitValue[uuid.charCodeAt(index)] as number;
    target[next] = (high << 4) | (digitValue[uuid.charCodeAt(index + 1)] as number);
    next += 1;
  }
}

/**
 * Writes the id for a uuid in ASCII, without creating a string for the id or the uuid. The uuid is in the text form of
 * Postgres and begins at `start`. Returns the end of the id.
 */
export function writeIdOfUuid(
  prefix: string,
  uuid: Uint8Array,
  start: number,
  target: Uint8Array,
  offset: number,
): number {
  let end = offset;
  for (let index = 0; index < prefix.length; index++) target[end++] = prefix.charCodeAt(index);
  target[end++] = 0x5f; // _
  let buffer = 0;
  let bits = 2; // the two leading zero bits
  for (let index = start; index < start + uuidLength; index++) {
    const code = uuid[index] as number;
    if (code === hyphen) continue;
    buffer = (buffer << 4) | (digitValue[code] as number);
    bits += 4;
    if (bits >= 5) {
      bits -= 5;
      target[end++] = base32Code[(buffer >>> bits) & 31] as number;
      buffer &= (1 << bits) - 1;
    }
  }
  return end;
}

/** The length of a uuid in the text form of Postgres. */
const uuidLength = 36;

/**
 * Returns the creation time, in unix milliseconds, of the object with this uuid. The uuid is in the text form of
 * Postgres and begins at `start`.
 */
export function millisecondsOfUuid(uuid: Uint8Array, start: number): number {
  let milliseconds = 0;
  for (let index = start; index < start + 13; index++) {
    const code = uuid[index] as number;
    if (code !== hyphen) milliseconds = milliseconds * 16 + (digitValue[code] as number);
  }
  return milliseconds;
}

export function idFromNullableUuid<Prefix extends string>(
  prefix: Prefix,
  uuid: string | null,
): Id<Prefix> | null {
  return uuid === null ? null : idFromUuid(prefix, uuid);
}

/** Parses an untrusted id. Returns null if the text is not a valid id with this prefix. */
export function parseId<Prefix extends string>(prefix: Prefix, text: string): Id<Prefix> | null {
  if (text.length !== prefix.length + 1 + suffixLength) return null;
  if (!text.startsWith(prefix) || text[prefix.length] !== "_") return null;
  for (let index = prefix.length + 1; index < text.length; index++) {
    if ((base32Value[text.charCodeAt(index)] ?? -1) < 0) return null;
  }
  // 26 characters hold 130 bits, so a first character above 7 would not fit into a uuid.
  if ((base32Value[text.charCodeAt(prefix.length + 1)] as number) > 7) return null;
  return text as Id<Prefix>;
}

/** Parses the untrusted ID of a charge or card verification. Returns null for any other text. */
export function parseAttemptId(text: string): AttemptId | null {
  return parseId("ch", text) ?? parseId("cv", text);
}

/** Returns the creation time of the object, to the millisecond. The first ten characters after the prefix encode it. */
export function createdAt(id: Id<string>): Date {
  return new Date(createdMilliseconds(id));
}

/** Returns the creation time of the object in the API's form: whole unix seconds. */
export function createdSeconds(id: Id<string>): number {
  return Math.floor(createdMilliseconds(id) / 1000);
}

function createdMilliseconds(id: Id<string>): number {
  const start = id.length - suffixLength;
  let milliseconds = 0;
  for (let index = start; index < start + 10; index++) {
    milliseconds = milliseconds * 32 + (base32Value[id.charCodeAt(index)] as number);
  }
  return milliseconds;
}

/** Writes the 16 bytes of the id's uuid at the offset. */
export function writeUuidBytes(id: Id<string>, target: Uint8Array, offset: number): void {
  const start = id.length - suffixLength;
  let buffer = base32Value[id.charCodeAt(start)] as number; // 3 bits: the first character is at most 7
  let bits = 3;
  let next = offset;
  for (let index = start + 1; index < id.length; index++) {
    buffer = (buffer << 5) | (base32Value[id.charCodeAt(index)] as number);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      target[next] = (buffer >>> bits) & 0xff;
      buffer &= (1 << bits) - 1;
      next += 1;
    }
  }
}

/** Returns the smallest uuid with this timestamp. Lists that are filtered by time use it as a bound. */
export function firstUuidAt(time: Date): string {
  uuidBytes.fill(0);
  writeTimestamp(Math.max(0, time.getTime()));
  return uuidOfBytes();
}
