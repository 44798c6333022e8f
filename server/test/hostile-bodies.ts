/*
 * A body that is meant to exhaust a parser. If the processing time is not linear in the length of a body, at least one
 * of these bodies takes long.
 */

export type HostileBody = {
  readonly what: string;
  readonly bytes: Buffer;
  readonly contentType?: string;
  /** The Idempotency-Key, for a body that the server compares with an earlier one. */
  readonly key?: string;
};

const maxBytes = 64 * 1024;
/** Long enough to detect quadratic time. */
const longBytes = 16 * 1024;
const shortBytes = 2 * 1024;

/** Names of request parameters. The server rejects an unknown name without validating its value. */
const knownNames = [
  "amount",
  "currency",
  "description",
  "email",
  "metadata",
  "name",
  "expression",
  "url",
  "password",
  "line_items",
  "billing_details",
  "payment_method_id",
  "code",
  "token",
  "number",
];

/** Strings for which a regular expression, masking or the search for card numbers could take more than linear time. */
const units: Readonly<Record<string, string>> = {
  letters: "a",
  spaces: " ",
  digits: "4242424242424242",
  "spaced digits": "4 2 ",
  "digits and dashes": "4-",
  "escaped letters": "\\u0061",
  "escaped digits": "\\u0034",
  "escaped quotes": '\\"',
  "escaped backslashes": "\\\\",
  "escaped line breaks": "\\r\\n",
  "email addresses": "a@a.",
  "at signs": "@",
  "web addresses": "http://a/?",
  "percent signs": "%34",
  "field names": '\\"number\\":',
  "secrets of keys": "sk_test_",
  "combining marks": "e\u0301",
  emoji: "👩‍👩‍👧",
  "bidirectional marks": "\u202e\u202d",
  "full-width digits": "４２",
  "broken characters": "\ufffd",
  surrogates: "\\ud83d\\ude00",
  "lone surrogates": "\\ud83d",
  NUL: "\\u0000",
  "base64 digits": "JVBERi0x",
};

function filled(before: string, unit: string, after: string, length: number): string {
  const room = length - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + unit.repeat(Math.max(0, Math.floor(room / Buffer.byteLength(unit)))) + after;
}

export function hostileBodies(): HostileBody[] {
  const bodies: HostileBody[] = [];
  const add = (what: string, body: string | Buffer, contentType?: string): void => {
    bodies.push({ what, bytes: Buffer.from(body), ...(contentType && { contentType }) });
  };

  // Deep nesting, complete and truncated, at the top level and in a field.
  for (const depth of [17, 500, 10_000]) {
    add(`arrays, ${depth} deep`, "[".repeat(depth) + "]".repeat(depth));
    add(`arrays, ${depth} deep and truncated`, "[".repeat(depth));
    add(`objects, ${depth} deep`, `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    add(`objects, ${depth} deep and truncated`, '{"a":'.repeat(depth));
    add(`both, ${depth} deep`, `${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`.slice(0, maxBytes));
    for (const name of ["metadata", "amount", "line_items"]) {
      add(`${depth} deep in ${name}`, `{"${name}":${"[".repeat(depth)}${"]".repeat(depth)}}`);
    }
  }
  add("only opening brackets", "[".repeat(maxBytes));
  add("only closing brackets", "]".repeat(maxBytes));
  add("only opening braces", "{".repeat(maxBytes));
  add("the maximum depth", `{"a":${"[".repeat(15)}1${"]".repeat(15)}}`);

  // Many fields.
  for (const count of [4_990, 9_000]) {
    const keys = (of: (n: number) => string) =>
      `{${Array.from({ length: count }, (_, n) => `${of(n)}:1`).join()}}`.slice(0, maxBytes);
    add(
      `${count} keys`,
      keys((n) => `"${n.toString(36)}"`),
    );
    add(
      `${count} keys that are numbers`,
      keys((n) => `"${n * 7}"`),
    );
    add(`${count} pairs of metadata`, `{"metadata":${keys((n) => `"k${n}"`)}}`);
    add(
      `the same key ${count} times`,
      keys(() => '"a"'),
    );
    add(
      `${count} keys that differ in their escapes`,
      keys((n) => `"\\u${(n + 256).toString(16).padStart(4, "0")}"`),
    );
    add(`${count} elements`, `{"line_items":[${"1,".repeat(count)}1]}`);
    add(`${count} nulls`, `{"line_items":[${"null,".repeat(count)}null]}`.slice(0, maxBytes));
    add(`${count} empty objects`, `{"line_items":[${"{},".repeat(count)}{}]}`);
    add(`${count} empty arrays`, `{"line_items":[${"[],".repeat(count)}[]]}`);
    add(`${count} empty strings`, `{"enabled_events":[${'"",'.repeat(count)}""]}`);
    add(
      `${count} items with nulls`,
      `{"line_items":[${Array(Math.floor(count / 3))
        .fill('{"name":null}')
        .join()}]}`,
    );
  }
  add("a key of maximum length", filled('{"', "k", '":1}', maxBytes));
  add("a key of escapes", filled('{"', "\\u006b", '":1}', maxBytes));
  add("a key of metadata of maximum length", filled('{"metadata":{"', "k", '":"1"}}', maxBytes));
  add("commas", ",".repeat(maxBytes));
  add("colons", ":".repeat(maxBytes));
  add("quotes", '"'.repeat(maxBytes));
  add("backslashes", `"${"\\".repeat(maxBytes - 1)}`);
  add("white space", " ".repeat(maxBytes));
  add("white space around a body", `${" ".repeat(60_000)}{"a":1}`);
  add("line breaks", `{${"\r\n".repeat(30_000)}"a":1}`);

  // Numbers.
  for (const [what, number] of [
    ["an integer beyond 2^53", "9007199254740993"],
    ["an integer in exponent form", "1e+30"],
    ["a number that overflows", "1e400"],
    ["a negative number that overflows", "-1e999999"],
    ["an exponent of maximum length", `1e${"9".repeat(60_000)}`],
    ["a negative exponent of maximum length", `1e-${"9".repeat(60_000)}`],
    ["60,000 digits", "7".repeat(60_000)],
    ["60,000 decimals", `0.${"7".repeat(60_000)}`],
    ["60,000 zeros", `1.${"0".repeat(60_000)}`],
    ["a number near the smallest", "2.2250738585072011e-308"],
    ["minus signs", "-".repeat(1_000)],
    ["leading zeros", "0".repeat(1_000)],
    ["many long numbers", Array(900).fill("0.1234567890123456789012345678901234567890").join()],
  ] as const) {
    add(what, `{"amount":${number}}`);
  }

  // Long strings in unknown and known fields, at the top level and nested.
  for (const [what, unit] of Object.entries(units)) {
    add(`a string of ${what}`, filled('{"a":"', unit, '"}', longBytes));
    add(`a name of ${what}`, filled('{"', unit, '":1}', shortBytes));
    add(`metadata of ${what}`, filled('{"metadata":{"a":"', unit, '"}}', shortBytes));
  }
  for (const name of knownNames) {
    add(`${name} of ${shortBytes} bytes`, filled(`{"${name}":"`, "a", '"}', shortBytes));
    add(`${name} twice`, `{"${name}":1,"${name}":2}`);
    add(`${name} as an object`, `{"${name}":{"${name}":{"${name}":{}}}}`);
  }

  // Bodies that are not JSON, not an object, or not UTF-8.
  for (const body of [
    "null",
    "true",
    "1",
    '"a"',
    "[]",
    "[{}]",
    "NaN",
    "{a:1}",
    "{'a':1}",
    "{} {}",
  ]) {
    add(body, body);
  }
  add("__proto__", '{"__proto__":{"amount":1}}');
  add("constructor", '{"constructor":{"prototype":{}}}');
  add("a byte order mark", Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]));
  for (const [what, byte] of [
    ["bytes that are not UTF-8", 0xff],
    ["continuation bytes", 0x80],
    ["first bytes without the rest", 0xe2],
    ["zeros", 0],
    ["escape characters", 0x1b],
  ] as const) {
    add(what, Buffer.alloc(maxBytes, byte));
    add(
      `${what} in a text`,
      Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(shortBytes, byte), Buffer.from('"}')]),
    );
  }

  // Bodies of other content types.
  const form = "application/x-www-form-urlencoded";
  add("a form of separators", "&".repeat(maxBytes), form);
  add("a form of one name", "a=1&".repeat(maxBytes / 4), form);
  add("a form of percent signs", "%".repeat(maxBytes), form);
  add("a form of plus signs", `cres=${"+".repeat(maxBytes - 5)}`, form);
  add("a form with a long value", `creq=${"A".repeat(maxBytes - 5)}`, form);
  add("a file", Buffer.alloc(maxBytes, "%PDF-1.7 "), "application/pdf");
  add("a report of a policy", `[${"{},".repeat(20_000)}{}]`, "application/reports+json");
  add(
    "a deep report of a policy",
    `${"[".repeat(32_000)}${"]".repeat(32_000)}`,
    "application/csp-report",
  );
  return bodies;
}
