import type { Duplex } from "node:stream";
import pg from "pg";
import { Parser } from "pg-protocol/dist/parser";
import { DataRow, RowText } from "./row-text.ts";
import type { Statement } from "./sql.ts";

/** The parts of the driver that its types omit. */
const DriverParser = Parser as unknown as new () => {
  parse(bytes: Buffer, onMessage: (message: { readonly name: string }) => void): void;
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): object;
};
type DriverQuery = pg.Submittable & { _canceledDueToError: unknown };
const DriverQuery = pg.Query as unknown as new (config: Statement) => DriverQuery;

const codeOfDataRow = 0x44;
const lengthBytes = 4;

class RowParser extends DriverParser {
  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): object {
    return code === codeOfDataRow
      ? new DataRow(bytes, offset, length - lengthBytes)
      : super.handlePacket(offset, code, length, bytes);
  }
}

/** Makes a connection pass rows to its queries before they are decoded. Replaces the driver's own listener. */
export function receiveUndecodedRows(connection: pg.Connection): void {
  const attachListeners = (stream: Duplex) => {
    const parser = new RowParser();
    const emit = (message: { readonly name: string }) =>
      connection.emit(message.name === "error" ? "errorMessage" : message.name, message);
    stream.on("data", (bytes: Buffer) => parser.parse(bytes, emit));
  };
  Object.assign(connection, { attachListeners });
}

/** The row that is being converted. A conversion does not wait, so all queries share it. */
const row = new RowText();

/** A query that converts its rows as they arrive. */
export class RowTextQuery<Result> extends DriverQuery {
  readonly results: Result[] = [];
  private readonly convert: (row: RowText) => Result;

  constructor(statement: Statement, convert: (row: RowText) => Result) {
    super(statement);
    this.convert = convert;
  }

  /** Called by the driver. Does nothing, because the rows are not decoded by the types of their columns. */
  handleRowDescription(): void {}

  /** Called by the driver. */
  handleDataRow(message: DataRow): void {
    if (this._canceledDueToError) return;
    try {
      row.load(message);
      this.results.push(this.convert(row));
    } catch (error) {
      // The driver fails the query with this error after it has read the rest of the result.
      this._canceledDueToError = error;
    }
  }
}
