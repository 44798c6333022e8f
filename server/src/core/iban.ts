/** Length of an IBAN by country (ISO 13616-1; SWIFT, "IBAN Registry", release 99). */
const lengthByCountry: ReadonlyMap<string, number> = new Map(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
    "FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 " +
    "LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 " +
    "SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/**
 * Returns whether the check digits are valid: with the first four characters moved to the end and letters read as 10 to
 * 35, the remainder modulo 97 is 1.
 */
export function isIban(number: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(number)) return false;
  const moved = number.slice(4) + number.slice(0, 4);
  const digits = moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

/** Reports whether the characters from `start` to `end` lie inside a valid IBAN, written with or without spaces. */
export function liesInIban(text: string, start: number, end: number): boolean {
  const from = Math.max(0, start - maxWrittenLength);
  const region = text.slice(from, end + maxWrittenLength).toUpperCase();
  for (const { index, 0: head } of region.matchAll(/(?<![A-Z0-9])[A-Z]{2}[0-9]{2}/g)) {
    if (from + index > start) return false;
    const length = lengthByCountry.get(head.slice(0, 2));
    if (length === undefined) continue;
    const written = writtenOfLength(length).exec(region.slice(index))?.[0];
    if (!written || from + index + written.length < end) continue;
    if (isIban(written.replace(/[^A-Z0-9]/g, ""))) return true;
  }
  return false;
}

const patterns = new Map<number, RegExp>();

/** Compiles the pattern of each length once, because a string can contain thousands of candidates. */
function writtenOfLength(length: number): RegExp {
  let pattern = patterns.get(length);
  if (!pattern) {
    pattern = new RegExp(`^[A-Z0-9](?:[ \u00a0-]?[A-Z0-9]){${length - 1}}(?![A-Z0-9])`);
    patterns.set(length, pattern);
  }
  return pattern;
}

/** The maximum length of a printed IBAN: 33 characters in groups of four, with a separator after each group. */
const maxWrittenLength = 42;
