/** Matches the characters that a JSON string may have to escape: those of RFC 8259 §7, and lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Returns the text as `JSON.stringify` writes it. Most texts need no escape. */
export function jsonString(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

export function jsonStringOrNull(text: string | null): string {
  return text === null ? "null" : jsonString(text);
}

const space = 0x20;
const colon = 0x3a;
const digit0 = 0x30;
const digit9 = 0x39;

/**
 * Returns the text of a `jsonb` value as `JSON.stringify` writes the parsed value. Postgres adds a space after each
 * comma and colon. Values that differ in more than these spaces are parsed: strings with escapes, and keys that begin
 * with a digit, which JavaScript moves to the front.
 */
export function compactJson(text: string): string {
  if (text.length <= 2) return text;
  if (text.includes("\\")) return JSON.stringify(JSON.parse(text));
  let compact = "";
  let from = 0;
  for (;;) {
    const open = text.indexOf('"', from);
    if (open < 0) return compact + withoutSpaces(text.slice(from));
    const close = text.indexOf('"', open + 1);
    if (text.charCodeAt(close + 1) === colon && isDigit(text.charCodeAt(open + 1))) {
      return JSON.stringify(JSON.parse(text));
    }
    // Fast path: most strings are separated from the previous string only by ": " or ", ".
    compact +=
      open - from === 2 && text.charCodeAt(from + 1) === space
        ? text[from]
        : withoutSpaces(text.slice(from, open));
    compact += text.slice(open, close + 1);
    from = close + 1;
  }
}

/** Removes the spaces outside of strings. */
function withoutSpaces(text: string): string {
  return text.replaceAll(" ", "");
}

function isDigit(code: number): boolean {
  return code >= digit0 && code <= digit9;
}
