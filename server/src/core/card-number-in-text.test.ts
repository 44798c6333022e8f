import assert from "node:assert/strict";
import { test } from "node:test";
import { luhnCheckDigit, passesLuhn } from "@florin/contract/luhn.ts";
import { testCards } from "@florin/contract/test-cards.ts";
import creditCardType from "credit-card-type";
import fc from "fast-check";
import { dose } from "../../test/test-size.ts";
import { findCardNumber, isCardNumber, maskCardNumbers } from "./card-number-in-text.ts";

const visa = "4242424242424242";
const groups = ["4242", "4242", "4242", "4242"];

test("a card number is found in every notation", () => {
  const separators = [
    " ",
    "  ",
    "-",
    " - ",
    ".",
    "/",
    "_",
    "+",
    "\t",
    "\n",
    "\u00a0",
    "\u2009",
    "\u202f",
    "\u3000",
    "\u2010",
    "\u2011",
    "\u2013",
    "\u2014",
    "\u2212",
    "\u00ad",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00b7",
    "\\n",
    "\\u00a0",
    "%20",
    "%2D",
    "%C2%A0",
    "%E2%80%8B",
    " \u200b-\u200b ",
  ];
  for (const separator of separators) {
    const text = groups.join(separator);
    assert.equal(findCardNumber(text)?.digits, visa, JSON.stringify(text));
    assert.equal(maskCardNumbers(`note: ${text}.`), "note: ••••.", JSON.stringify(text));
  }
  const inScript = (zero: number) =>
    [...visa].map((digit) => String.fromCodePoint(zero + Number(digit))).join("");
  for (const zero of [0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce, 0x1d7d8, 0x1fbf0]) {
    assert.equal(findCardNumber(inScript(zero))?.digits, visa, zero.toString(16));
    const escaped = encodeURIComponent(inScript(zero));
    assert.equal(findCardNumber(escaped)?.digits, visa, escaped);
  }
  for (const text of [
    visa,
    `Visa${visa}`,
    `pan=${visa}`,
    `card:${visa}, 12/27 123`,
    `${visa} 12/27 123`,
    `4242 4242 4242 4242 12/27 123`,
    `${visa}|12|27|123`,
    `%B${visa}^DOE/JANE^2712101`,
    `;${visa}=2712101`,
    `order_${visa}`,
    `https://shop.example/4242/4242/4242/4242?x=1`,
    `https://shop.example/?q=4242+4242+4242+4242`,
    [...visa].join("\u200b"),
    [...visa].join("\ufe0f\u20e3"),
    [...visa].join(" "),
    [...visa].map((digit) => `\\u003${digit}`).join(""),
    [...visa].map((digit) => `%3${digit}`).join(""),
    "42424242 42424242",
    "3782 822463 10005",
    "378282246310005",
    "38000000000006",
    "3800 000000 0006",
    "6304000000000000000",
    `6200 0000 0000 0000 00${luhnCheckDigit("620000000000000000")}`,
    `220000000000000${luhnCheckDigit("220000000000000")}`,
  ]) {
    assert.notEqual(findCardNumber(text), null, text);
    assert.equal(findCardNumber(maskCardNumbers(text)), null, text);
  }
});

test("numbers and identifiers that are not card numbers are ignored", () => {
  for (const text of [
    "4242424242424241", // wrong check digit
    "1763700000000", // milliseconds
    "1763700000000000", // microseconds
    "1763700000000000000", // nanoseconds
    "20261122134500123", // time of day
    "4006381333931", // EAN-13 with a valid Luhn digit too
    "4222222222222", // 13-digit Visa, which is no longer issued
    "490154203237518", // IMEI
    "8901260862291477114", // SIM card
    "+49 171 1234 5678",
    "+63 917 123 4567",
    "+1 (424) 242-4242 / +1 (424) 242-4242",
    "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013000",
    "NO93 8601 1117 947",
    "BE68 5390 0754 7034",
    "123e4567-e89b-12d3-a456-426614174000",
    "550e8400-e29b-41d4-a716-446655440000",
    "ch_01m7yb2egcevfr644aj5n1c251",
    "4.242424242424242",
    "52.520006 13.404954",
    "42424242424242424242",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "4242,4242,4242,4242",
    '["4242","4242","4242","4242"]',
  ]) {
    assert.equal(findCardNumber(text), null, text);
    assert.equal(maskCardNumbers(text), text, text);
  }
});

test("decimal digits of every script count as digits", () => {
  const digits = [...Array(0x20_000).keys()]
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((character) => /\p{Nd}/u.test(character));
  const twos = digits.filter((digit) => findCardNumber(`424242424242424${digit}`));
  // 2 is the only valid check digit for these digits.
  assert.equal(twos.length, digits.length / 10);
});

test("no IBAN is mistaken for a card number, with or without spaces", () => {
  const countries = ["DE", "FR", "ES", "NL", "IT", "CH", "AT", "BE", "PL", "SE"];
  const lengths = [22, 27, 24, 18, 27, 21, 20, 16, 28, 24];
  fc.assert(
    fc.property(
      fc.nat({ max: countries.length - 1 }),
      fc.array(fc.nat({ max: 9 }), { minLength: 30, maxLength: 30 }),
      (which, digits) => {
        const country = countries[which] as string;
        const account = digits.slice(0, (lengths[which] as number) - 4).join("");
        const letters = [...country].map((letter) => letter.charCodeAt(0) - 55).join("");
        const check = 98n - (BigInt(`${account}${letters}00`) % 97n);
        const iban = `${country}${String(check).padStart(2, "0")}${account}`;
        assert.equal(findCardNumber(iban), null, iban);
        const grouped = iban.replace(/(.{4})(?=.)/g, "$1 ");
        assert.equal(findCardNumber(`IBAN ${grouped} Musterbank`), null, grouped);
      },
    ),
    { numRuns: dose("ibans", { short: 500, long: 20_000 }) },
  );
});

test("no UUID is mistaken for a card number", () => {
  const uuid = "65372407-8639-4735-b11c-3876f7fa84d5";
  assert.ok(isCardNumber("6537240786394735"));
  for (const text of [uuid, uuid.toUpperCase(), `order ${uuid}, 2 items`, `1 ${uuid}`]) {
    assert.equal(findCardNumber(text), null, text);
  }
  for (const text of [
    "65372407-8639-4735",
    "65372407-8639-4735-b11c",
    // The variant and the length are not those of a UUID.
    "65372407-8639-4735-c11c-3876f7fa84d5",
    "65372407-8639-4735-b11c-3876f7fa84d57",
  ]) {
    assert.equal(findCardNumber(text)?.digits, "6537240786394735", text);
  }
});

test("every test card and every number that the card form accepts is found", () => {
  for (const { number } of testCards) {
    if (passesLuhn(number)) assert.ok(isCardNumber(number), number);
  }
  // This set and the conditions below skip two local brands, and the prefixes and lengths that are no longer issued
  // (see the comment on `issuedRanges`).
  const leftOut = new Set(["naranja", "verve"]);
  const prefixes = Object.values(creditCardType.types).flatMap((name) => {
    const { patterns, lengths } = creditCardType.getTypeInfo(name);
    if (leftOut.has(name)) return [];
    return patterns.flatMap((pattern) => {
      const [from, to] = Array.isArray(pattern) ? pattern : [pattern, pattern];
      return [from, to].map((prefix) => ({ name, prefix: String(prefix), lengths }));
    });
  });
  for (const { name, prefix, lengths } of prefixes) {
    for (const length of lengths.filter((one) => one >= (name === "diners-club" ? 14 : 15))) {
      if (["maestro", "unionpay"].includes(name) && length < 16) continue;
      if (name === "jcb" && !prefix.startsWith("35")) continue;
      // 493698 was a Maestro range in the United Kingdom. It is a Visa range now, and Visa numbers never have 17
      // digits.
      if (prefix === "493698" && length === 17) continue;
      const digits = prefix.padEnd(length - 1, "0");
      assert.ok(isCardNumber(digits + luhnCheckDigit(digits)), `${name} ${prefix} ${length}`);
    }
  }
});

/** Pieces that are likely to form card numbers when they are concatenated. */
const hostileText = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          "4242",
          "4242 4242",
          "42424242",
          "4111",
          "378282246310005",
          visa,
        ),
      },
      { weight: 3, arbitrary: fc.stringMatching(/^[0-9]{1,6}$/) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          " ",
          "-",
          "\n",
          "\\n",
          "\\",
          "%20",
          "%",
          "\u00a0",
          "\u200b",
          "_",
          ".",
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "a",
          "Z",
          '"',
          "{",
          "}",
          ":",
          "٤٢",
          "４２",
          "\\u0034",
          "%34",
          "é",
          "cvc",
          '"cvc":"123"}',
        ),
      },
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(""));

test("a masked string contains no card number", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      assert.equal(findCardNumber(maskCardNumbers(text)), null);
    }),
    { numRuns: dose("masked-texts", { short: 2_000, long: 100_000 }) },
  );
});

test("the search takes linear time for a string of 60 KB", () => {
  // Measures this thread's CPU time, which excludes the work of other processes. Some systems count it in steps of 4 ms,
  // so the work is repeated for 20 ms.
  const cpuOf = (work: () => void) => {
    const started = process.threadCpuUsage();
    for (let times = 1; ; times++) {
      work();
      const { user, system } = process.threadCpuUsage(started);
      if (user + system >= 20_000) return (user + system) / times;
    }
  };
  const pieces = [
    ...["4", "4 ", "44 ", "4242 ", "4111 1111 ", "4242424242424242 ", "42\u200b", "٤ "],
    ...["%34", "%D9", "%D9%A4", "\\u0034", "DE89 ", "DE89 4242 4242 4242 4242 "],
  ];
  for (const piece of pieces) {
    const part = piece.repeat(Math.ceil(3_750 / piece.length));
    const whole = part.repeat(16);
    const ofParts = () => {
      for (let times = 0; times < 16; times++) maskCardNumbers(part);
    };
    // If the search took quadratic time, the whole string would take sixteen times as long as its sixteen parts. A single
    // measurement can be slow for other reasons, for example a garbage collection.
    let [wholeMicros, partsMicros] = [0, 0];
    const isLinear = () => wholeMicros < 5 * partsMicros;
    for (let round = 0; round < 5 && !isLinear(); round++) {
      [wholeMicros, partsMicros] = [cpuOf(() => maskCardNumbers(whole)), cpuOf(ofParts)];
    }
    assert.ok(
      isLinear(),
      `${JSON.stringify(piece)}: ${wholeMicros.toFixed()} µs, but ${partsMicros.toFixed()} µs for its parts`,
    );
  }
});

/** Returns the share of the strings in which `findCardNumber` finds a card number. */
function rejectedShare(texts: readonly string[]): number {
  return texts.filter((text) => findCardNumber(text) !== null).length / texts.length;
}

const digitsOf = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));

test("realistic identifiers are almost never rejected", (t) => {
  const sample = <Value>(arbitrary: fc.Arbitrary<Value>) =>
    fc.sample(arbitrary, { numRuns: dose("identifiers", { short: 1_000, long: 5_000 }), seed: 42 });
  const ean = (length: number, prefix = "") =>
    digitsOf(length - 1 - prefix.length).map((rest) => {
      const digits = prefix + rest;
      const sum = [...digits].reduceRight(
        ({ total, weight }, digit) => ({
          total: total + Number(digit) * weight,
          weight: 4 - weight,
        }),
        { total: 0, weight: 3 },
      ).total;
      return digits + String((10 - (sum % 10)) % 10);
    });
  const identifiers: Record<string, [texts: string[], max: number]> = {
    "EAN-13": [sample(ean(13)), 0],
    "GTIN-14 of cases": [sample(ean(14, "1")), 0],
    "milliseconds since 1970": [sample(fc.integer({ min: 1e12, max: 3e12 }).map(String)), 0],
    "microseconds since 1970": [
      sample(fc.bigInt({ min: 10n ** 15n, max: 2n * 10n ** 15n }).map(String)),
      0,
    ],
    UUID: [sample(fc.uuid()), 0],
    "SHA-256": [sample(fc.stringMatching(/^[0-9a-f]{64}$/)), 0.0001],
    "phone number": [
      sample(
        fc
          .tuple(fc.constantFrom("+49 ", "+1 ", "+63 ", "+62", "+86"), digitsOf(10))
          .map(([country, rest]) => `${country}${rest}`),
      ),
      0,
    ],
    "order number of ten digits": [sample(digitsOf(10)), 0],
    "order number of twelve digits": [sample(digitsOf(12)), 0],
    "Amazon order number": [
      sample(fc.tuple(digitsOf(3), digitsOf(7), digitsOf(7)).map((parts) => parts.join("-"))),
      0,
    ],
    IMEI: [sample(digitsOf(12).map((rest) => `35${rest}${luhnCheckDigit(`35${rest}`)}`)), 0],
    "SIM card number": [
      sample(digitsOf(16).map((rest) => `89${rest}${luhnCheckDigit(`89${rest}`)}`)),
      0,
    ],
    "nanoseconds since 1970": [
      sample(fc.bigInt({ min: 10n ** 18n, max: 2n * 10n ** 18n }).map(String)),
      0,
    ],
  };
  for (const [name, [texts, max]] of Object.entries(identifiers)) {
    const share = rejectedShare(texts);
    t.diagnostic(`${name}: ${(share * 100).toFixed(3)} %`);
    assert.ok(share <= max, `${name}: ${share} rejected`);
  }
});

test("only random numbers in issued ranges with a valid check digit are rejected", (t) => {
  // One in ten random numbers has a valid check digit, and a third of all prefixes is issued.
  const max: Readonly<Record<number, number>> = {
    13: 0,
    14: 0.006,
    15: 0.003,
    16: 0.045,
    17: 0.025,
    18: 0.04,
    19: 0.04,
  };
  for (const [length, allowed] of Object.entries(max)) {
    const texts = fc.sample(digitsOf(Number(length)), {
      numRuns: dose("numbers", { short: 4_000, long: 20_000 }),
      seed: 7,
    });
    const share = rejectedShare(texts);
    t.diagnostic(`${length} digits: ${(share * 100).toFixed(2)} %`);
    assert.ok(share <= allowed, `${length} digits: ${share} rejected`);
  }
});
