import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import { parseId, uuidOf } from "../../core/ids.ts";
import type { Metadata } from "../../core/metadata.ts";
import { type Currency, currencies, isCurrency } from "../../core/money.ts";

/** The prefixes of IDs that a search can find by the beginning of the ID. */
const idPrefixes = ["ch", "re", "dp", "cus", "po"] as const;
export type IdPrefix = (typeof idPrefixes)[number];

/** An inclusive range of UUIDs. */
export type UuidRange = { readonly first: string; readonly last: string };

/** An amount that the searched text can mean, and the currencies in which the text means this amount. */
export type SearchedAmount = {
  readonly amountMinor: number;
  readonly currencies: readonly Currency[];
};

/** The possible meanings of a search text. A text such as `1999` has several. */
export type SearchTerms = {
  readonly id: ({ readonly prefix: IdPrefix } & UuidRange) | null;
  /** The end of an ID, as hexadecimal digits of its UUID. Lists show only the end of long IDs. */
  readonly idEnd: string | null;
  readonly email: string | null;
  readonly last4: string | null;
  readonly amounts: readonly SearchedAmount[];
  readonly metadata: Metadata | null;
  readonly reference: string | null;
  /** True if the text can be a part of a customer's name or email address. */
  readonly named: boolean;
};

export function searchTerms(query: string): SearchTerms {
  const text = query.trim();
  const id = idTerm(text);
  return {
    id,
    idEnd: idEndTerm(text),
    email: /^\S+@\S+\.\S+$/.test(text) ? text.toLowerCase() : null,
    last4: /^(?:[•*.x\s]*)(\d{4})$/i.exec(text)?.[1] ?? null,
    amounts: amountTerms(text),
    metadata: metadataTerm(text),
    reference: id ? null : text,
    named: !id && /\p{L}/u.test(text),
  };
}

const suffixLength = 26;
/** The minimum number of characters of an ID after its prefix. */
const minIdCharacters = 4;

function idTerm(text: string): SearchTerms["id"] {
  const [, found, start = ""] = /^([a-z]+)_([0-9a-z]+)$/.exec(text.toLowerCase()) ?? [];
  const prefix = idPrefixes.find((one) => one === found);
  if (!prefix || start.length < minIdCharacters) return null;
  const first = parseId(prefix, `${prefix}_${start.padEnd(suffixLength, "0")}`);
  const last = parseId(prefix, `${prefix}_${start.padEnd(suffixLength, "z")}`);
  return first && last && { prefix, first: uuidOf(first), last: uuidOf(last) };
}

/** The number of characters at the end of an ID that lists show. */
const shownCharacters = 8;
/** The number of hexadecimal digits of the UUID that these characters encode: exactly forty bits. */
const shownHexDigits = 10;

function idEndTerm(text: string): string | null {
  const [, end = ""] = /^(?:ch_)?…?([0-9a-z]{8})$/i.exec(text) ?? [];
  const id = parseId("ch", `ch_${end.toLowerCase().padStart(suffixLength, "0")}`);
  return end.length === shownCharacters && id ? uuidOf(id).slice(-shownHexDigits) : null;
}

/** Parses amounts such as `19.99`, `$1,999`, `20 EUR` and `€ 20`. */
function amountTerms(text: string): readonly SearchedAmount[] {
  const [, before = "", number = "", after = ""] =
    /^(\p{Sc}|[a-z]{3})?\s*([\d.,]*\d)\s*(\p{Sc}|[a-z]{3})?$/iu.exec(text) ?? [];
  const codes = [before, after].map((code) => code.toLowerCase()).filter(Boolean);
  const named = codes.filter(isCurrency);
  if (number === "" || codes.some((code) => /[a-z]/.test(code) && !isCurrency(code))) return [];
  const candidates = named.length > 0 ? named : currencies;
  return ([0, 2, 3] as const).flatMap((digits) => {
    const amountMinor = minorAmount(number, digits);
    const written = candidates.filter((code) => minorUnitDigits(code) === digits);
    return amountMinor === null || written.length === 0
      ? []
      : [{ amountMinor, currencies: written }];
  });
}

/** The maximum number of digits, so that every amount is a safe integer. */
const maxDigits = 12;

/** Returns the amount in minor units, or null if the number is not written with this many decimals. */
function minorAmount(number: string, digits: 0 | 2 | 3): number | null {
  const decimals = digits === 0 ? null : new RegExp(`^(.*)[.,](\\d{${digits}})$`).exec(number);
  const [whole = number, fraction = "0".repeat(digits)] = decimals ? decimals.slice(1) : [];
  // Accepts separators only between thousands. Otherwise `19.9` would be read as 199.
  if (!/^\d+$|^\d{1,3}(?:[.,]\d{3})+$/.test(whole)) return null;
  const minor = whole.replaceAll(/[.,]/g, "") + fraction;
  return minor.length > maxDigits ? null : Number(minor);
}

function metadataTerm(text: string): Metadata | null {
  const [, key, value] = /^([\w-]{1,40})\s*[=:]\s*(\S.*)$/.exec(text) ?? [];
  return key && value ? { [key]: value } : null;
}
