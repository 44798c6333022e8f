/** Thrown for a text that is not CSV. */
export class CsvMalformed extends Error {
  override name = "CsvMalformed";
}

/**
 * The maximum number of characters of a record. Without a limit, a missing quote would read the whole file into memory.
 */
const maxRecordLength = 1_000_000;

/**
 * Parses CSV while it is received (RFC 4180). A quoted field can contain commas, line breaks and doubled quotes. A line
 * can also end with LF alone. A byte order mark and empty lines are skipped.
 */
export async function* readCsv(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string[]> {
  let state: "start" | "plain" | "quoted" | "after_quote" = "start";
  let fields: string[] = [];
  let field = "";
  let length = 0;
  let line = 1;
  let isFirst = true;
  let afterReturn = false;

  const endRecord = (): string[] | null => {
    const record = [...fields, field];
    const isEmpty = record.length === 1 && field === "" && state === "start";
    fields = [];
    field = "";
    length = 0;
    state = "start";
    return isEmpty ? null : record;
  };

  for await (const piece of text) {
    for (const character of piece) {
      if (isFirst && character === "\ufeff") {
        isFirst = false;
        continue;
      }
      isFirst = false;
      length += 1;
      if (length > maxRecordLength) throw malformed(line, "the record is too long");
      if (state === "quoted") {
        if (character === "\n") line += 1;
        if (character === '"') state = "after_quote";
        else field += character;
        continue;
      }
      // A CR is valid only in the line break CR LF.
      if (afterReturn && character !== "\n") throw malformed(line, "a CR is not followed by LF");
      switch (character) {
        case "\r":
          afterReturn = true;
          break;
        case "\n": {
          afterReturn = false;
          const record = endRecord();
          if (record) yield record;
          line += 1;
          break;
        }
        case ",":
          fields.push(field);
          field = "";
          state = "start";
          break;
        case '"':
          if (state === "plain") throw malformed(line, "a quote is inside an unquoted field");
          if (state === "after_quote") field += '"';
          state = "quoted";
          break;
        default:
          if (state === "after_quote") throw malformed(line, "text follows a quoted field");
          field += character;
          state = "plain";
      }
    }
  }
  if (state === "quoted") throw malformed(line, "a quoted field does not end");
  const isOpen = state !== "start" || fields.length > 0;
  const last = endRecord();
  if (last && isOpen) yield last;
}

function malformed(line: number, why: string): CsvMalformed {
  return new CsvMalformed(`Line ${line} is not CSV: ${why}.`);
}
