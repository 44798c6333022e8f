import { randomFillSync } from "node:crypto";

/**
 * Ids are TypeIDs: a prefix and a UUIDv7 in 26 letters of Crockford's base32 (`ch_01jb…`). They sort by
 * creation, so the primary key is also the order of every list. Postgres keeps the bare uuid.
 */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

export type AccountId = Id<"acct">;
export type ApiKeyId = Id<"key">;
/** The account's, with another prefix: each has one application. */
export type ApplicationId = Id<"app">;
export type AuditEntryId = Id<"log">;
export type BalanceTransactionId = Id<"txn">;
export type ChargeId = Id<"ch">;
export type CheckoutSessionId = Id<"cs">;
export type CustomerId = Id<"cus">;
export type DecisionId = Id<"dec">;
export type RuleId = Id<"rule">;
export type ListEntryId = Id<"lst">;
export type DeliveryId = Id<"whd">;
export type DisputeId = Id<"dp">;
export type DocumentId = Id<"doc">;
/** What is asked of the acquirer about a charge later; a refund's has the letters of the refund. */
export type OperationId = Id<"op">;
export type EventId = Id<"evt">;
export type InvitationId = Id<"inv">;
export type MemberId = Id<"mem">;
export type PaymentMethodId = Id<"pm">;
export type PayoutId = Id<"po">;
export type PersonId = Id<"per">;
export type ReconciliationId = Id<"rec">;
export type DifferenceId = Id<"dif">;
export type RefundId = Id<"re">;
export type RequestId = Id<"req">;
export type SessionId = Id<"ses">;
export type SavedViewId = Id<"view">;
export type WebhookEndpointId = Id<"we">;
export type MailId = Id<"mail">;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const suffixLength = 26;

const letterValue = new Int8Array(128).fill(-1);
for (let value = 0; value < 32; value++) letterValue[alphabet.charCodeAt(value)] = value;
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Random bytes are drawn a page at a time: one system call serves some four hundred ids. */
const randomPage = Buffer.alloc(4096);
let randomOffset = randomPage.length;

/** A new id whose first 48 bits are `now`, in milliseconds (RFC 9562, UUID version 7). */
export function newId<Prefix extends string>(prefix: Prefix, now: Date): Id<Prefix> {
  return fromBytes(prefix, newUuidBytes(now.getTime()));
}

function newUuidBytes(milliseconds: number): Uint8Array {
  if (randomOffset + 10 > randomPage.length) {
    randomFillSync(randomPage);
    randomOffset = 0;
  }
  const bytes = new Uint8Array(16);
  bytes.set(randomPage.subarray(randomOffset, randomOffset + 10), 6);
  randomOffset += 10;
  writeTimestamp(bytes, milliseconds);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes;
}

function writeTimestamp(bytes: Uint8Array, milliseconds: number): void {
  const high = Math.floor(milliseconds / 0x1_0000);
  bytes[0] = (high >>> 24) & 0xff;
  bytes[1] = (high >>> 16) & 0xff;
  bytes[2] = (high >>> 8) & 0xff;
  bytes[3] = high & 0xff;
  bytes[4] = (milliseconds >>> 8) & 0xff;
  bytes[5] = milliseconds & 0xff;
}

/** 128 bits are 26 letters of 5 bits with two zero bits in front. */
function fromBytes<Prefix extends string>(prefix: Prefix, bytes: Uint8Array): Id<Prefix> {
  let text = "";
  let buffer = 0;
  let bits = 2; // the two leading zero bits
  for (let index = 0; index < 16; index++) {
    buffer = (buffer << 8) | (bytes[index] as number);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >>> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return `${prefix}_${text}`;
}

/** The uuid that Postgres keeps for this id. The id must have come from `newId`, `idFromUuid` or `parseId`. */
export function uuidOf(id: Id<string>): string {
  return suffixToUuid(id, id.length - suffixLength);
}

export function uuidOfNullable(id: Id<string> | null): string | null {
  return id === null ? null : uuidOf(id);
}

function suffixToUuid(text: string, start: number): string {
  let hex = "";
  let buffer = letterValue[text.charCodeAt(start)] as number; // 3 bits: the first letter is at most 7
  let bits = 3;
  let bytes = 0;
  for (let index = start + 1; index < text.length; index++) {
    buffer = (buffer << 5) | (letterValue[text.charCodeAt(index)] as number);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      hex += hexOfByte[(buffer >>> bits) & 0xff];
      buffer &= (1 << bits) - 1;
      bytes += 1;
      if (bytes === 4 || bytes === 6 || bytes === 8 || bytes === 10) hex += "-";
    }
  }
  return hex;
}

/** The wire's id for a uuid that Postgres gave back. */
export function idFromUuid<Prefix extends string>(prefix: Prefix, uuid: string): Id<Prefix> {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  return fromBytes(prefix, bytes);
}

export function idFromNullableUuid<Prefix extends string>(
  prefix: Prefix,
  uuid: string | null,
): Id<Prefix> | null {
  return uuid === null ? null : idFromUuid(prefix, uuid);
}

/** Reads an id that came from outside; null when it is not one of this kind, whatever the reason. */
export function parseId<Prefix extends string>(prefix: Prefix, text: string): Id<Prefix> | null {
  if (text.length !== prefix.length + 1 + suffixLength) return null;
  if (!text.startsWith(prefix) || text[prefix.length] !== "_") return null;
  for (let index = prefix.length + 1; index < text.length; index++) {
    if ((letterValue[text.charCodeAt(index)] ?? -1) < 0) return null;
  }
  // 26 letters hold 130 bits: a first letter above 7 would not fit into a uuid.
  if ((letterValue[text.charCodeAt(prefix.length + 1)] as number) > 7) return null;
  return text as Id<Prefix>;
}

/** When the thing with this id was created, to the millisecond: the first ten letters are just that. */
export function createdAt(id: Id<string>): Date {
  const start = id.length - suffixLength;
  let milliseconds = 0;
  for (let index = start; index < start + 10; index++) {
    milliseconds = milliseconds * 32 + (letterValue[id.charCodeAt(index)] as number);
  }
  return new Date(milliseconds);
}

/** Writes the 16 bytes of the id's uuid at the offset, and answers how many there are. */
export function writeUuidBytes(id: Id<string>, target: Uint8Array, offset: number): 16 {
  const start = id.length - suffixLength;
  let buffer = letterValue[id.charCodeAt(start)] as number; // 3 bits: the first letter is at most 7
  let bits = 3;
  let next = offset;
  for (let index = start + 1; index < id.length; index++) {
    buffer = (buffer << 5) | (letterValue[id.charCodeAt(index)] as number);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      target[next] = (buffer >>> bits) & 0xff;
      buffer &= (1 << bits) - 1;
      next += 1;
    }
  }
  return 16;
}

/** The smallest uuid that could have been made at this time: the bound by which a list is cut at a moment. */
export function firstUuidAt(time: Date): string {
  const bytes = new Uint8Array(16);
  writeTimestamp(bytes, Math.max(0, time.getTime()));
  return suffixToUuid(fromBytes("x", bytes), 2);
}
