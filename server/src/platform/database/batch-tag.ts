import assert from "node:assert/strict";
import pg from "pg";
import type { ArrayParameter } from "./array-parameter.ts";
import { sendQuery } from "./send-query.ts";
import { type Statement, type Tx, tagOf } from "./sql.ts";
import { WireBuffer } from "./wire-buffer.ts";

/**
 * Returns an SQL tag for a connection that sends only batches, one after another. Columns are written straight into the
 * outgoing message, whose memory is reused for the next message. The driver would copy each batch three times, and
 * would allocate more memory outside the heap than the charges allocate in the heap.
 */
export function bindBatchTag(client: pg.Client): Tx {
  const wire = new WireBuffer();
  let isBusy = false;

  return tagOf(async (statement) => {
    // The buffer may be overwritten only after the previous statement's response has arrived.
    assert(!isBusy, "A batch connection runs one statement at a time");
    isBusy = true;
    try {
      writeBind(wire, statement);
      return (await sendQuery(client, new BatchQuery(statement, wire.take()))).rows;
    } finally {
      isBusy = false;
    }
  }) as unknown as Tx;
}

/** The parts of the driver's query that its types omit. */
type DriverQuery = pg.Submittable & { hasBeenParsed(connection: DriverConnection): boolean };
type DriverConnection = {
  readonly stream: NodeJS.WritableStream;
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
};
const DriverQuery = pg.Query as unknown as new (config: {
  name: string;
  text: string;
}) => DriverQuery;

/** A query with a prebuilt message. The driver handles the response as for every other query. */
class BatchQuery extends DriverQuery {
  private readonly statement: Statement;
  private readonly message: Buffer;

  constructor(statement: Statement, message: Buffer) {
    super({ name: statement.name, text: statement.text });
    this.statement = statement;
    this.message = message;
  }

  /**
   * Overrides the method of the driver's query. The driver corks the connection's stream before this call and uncorks
   * it afterwards.
   */
  prepare(connection: DriverConnection): void {
    const { name, text } = this.statement;
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name, text });
      connection.submittedNamedStatements[name] = text;
    }
    connection.stream.write(this.message);
  }
}

const binary = 1;
const text = 0;
const nothing = 0;

/** Writes a Bind for the unnamed portal and the messages that follow it (PostgreSQL: "Message Formats"). */
function writeBind(wire: WireBuffer, { name, values }: Statement): void {
  wire.restart();
  wire.byte(letter("B"));
  const length = wire.length;
  wire.int32(nothing);
  wire.byte(nothing);
  wire.text(name);
  wire.byte(nothing);
  wire.int16(values.length);
  for (const value of values) wire.int16(isColumn(value) ? binary : text);
  wire.int16(values.length);
  for (const value of values) writeValue(wire, value);
  wire.int16(nothing);
  wire.setInt32(wire.length - length, length);
  wire.copy(describeExecuteSync);
}

/** Writes a value's length and its bytes. */
function writeValue(wire: WireBuffer, value: unknown): void {
  if (value === null || value === undefined) {
    wire.int32(-1);
    return;
  }
  const length = wire.length;
  wire.int32(nothing);
  if (isColumn(value)) value.writeTo(wire);
  else if (value instanceof Date) wire.text(value.toISOString());
  else {
    assert(typeof value !== "object", "A batch accepts columns, times and plain values");
    wire.text(String(value));
  }
  wire.setInt32(wire.length - length - 4, length);
}

function isColumn(value: unknown): value is ArrayParameter {
  return typeof value === "object" && value !== null && "writeTo" in value;
}

function letter(character: string): number {
  return character.charCodeAt(0);
}

/** The messages after every Bind. They describe the unnamed portal, execute it to its end, and sync. */
const describeExecuteSync = Buffer.concat([
  Buffer.from([letter("D"), 0, 0, 0, 6, letter("P"), 0]),
  Buffer.from([letter("E"), 0, 0, 0, 9, 0, 0, 0, 0, 0]),
  Buffer.from([letter("S"), 0, 0, 0, 4]),
]);
