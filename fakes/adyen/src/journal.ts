import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";

/** The changes of one transaction: table, key and the new record, or null for a deletion. */
export type JournalLine = [table: string, id: string, record: unknown][];

/** An append-only file with one JSON line for each transaction. */
export class Journal {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    removeTornLine(path);
    this.#file = openSync(path, "a", 0o600);
  }

  *readLines(): Generator<JournalLine> {
    for (const line of readFileSync(this.#path, "utf8").split("\n")) {
      if (line !== "") yield JSON.parse(line);
    }
  }

  /** Writes before the caller responds, so that a killed process has stored every response that it sent. */
  append(line: JournalLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Removes a last line without a newline, which remains if the process was killed during the write. */
function removeTornLine(path: string): void {
  if (!existsSync(path)) return;
  const content = readFileSync(path);
  const end = content.lastIndexOf(0x0a) + 1;
  if (end < content.length) truncateSync(path, end);
}
