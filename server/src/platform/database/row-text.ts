/** The methods of Node's buffers that its types omit. They decode without the checks of `toString`. */
type Slices = {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
};

/**
 * A row of a result, as Postgres sent it. For its own rows, the driver makes one call per column to decode the text,
 * and another to parse the value. Here, one call decodes the whole row to one text, of which the columns are parts. The
 * object is reused for the next row.
 */
export class RowText {
  private bytes = Buffer.alloc(0) as Buffer & Slices;
  private offset = 0;
  private length = 0;
  /** The whole row with one character for each byte, or empty until a column is read as text. */
  private characters = "";
  /** The start and the end of each column, relative to the start of the row. The end of a null is -1. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  /** Reads a DataRow message (PostgreSQL: "Message Formats"). `offset` is the position of its first field. */
  load({ bytes, offset, length }: DataRow): void {
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
    this.characters = "";
    const columns = (bytes[offset] as number) * 256 + (bytes[offset + 1] as number);
    let next = offset + 2;
    for (let column = 0; column < columns; column++) {
      const size = int32At(bytes, next);
      next += 4;
      this.starts[column] = next - offset;
      this.ends[column] = size < 0 ? -1 : next - offset + size;
      if (size > 0) next += size;
    }
  }

  isNull(column: number): boolean {
    return this.ends[column] === -1;
  }

  /** The size of the row in bytes. */
  get size(): number {
    return this.length;
  }

  /**
   * The memory that contains the row, in UTF-8. A column is between `start` and `end`. For a null, the two are equal.
   */
  get memory(): Uint8Array {
    return this.bytes;
  }

  start(column: number): number {
    return this.offset + (this.starts[column] as number);
  }

  end(column: number): number {
    return this.isNull(column) ? this.start(column) : this.offset + (this.ends[column] as number);
  }

  /** Returns a column whose value contains only ASCII characters and is not null. */
  ascii(column: number): string {
    if (this.characters === "") {
      this.characters = this.bytes.latin1Slice(this.offset, this.offset + this.length);
    }
    return this.characters.slice(this.starts[column], this.ends[column]);
  }

  asciiOrNull(column: number): string | null {
    return this.isNull(column) ? null : this.ascii(column);
  }

  integer(column: number): number {
    return Number(this.ascii(column));
  }

  boolean(column: number): boolean {
    return this.bytes[this.start(column)] === letterT;
  }

  /** Returns a column that is not null. */
  text(column: number): string {
    const { bytes, offset, starts, ends } = this;
    const start = offset + (starts[column] as number);
    const end = offset + (ends[column] as number);
    return isAscii(bytes, start, end) ? this.ascii(column) : bytes.utf8Slice(start, end);
  }

  /** Returns a copy of a column that is not null, in UTF-8. */
  utf8(column: number): Buffer {
    const { bytes, offset, starts, ends } = this;
    return Buffer.from(
      bytes.subarray(offset + (starts[column] as number), offset + (ends[column] as number)),
    );
  }

  textOrNull(column: number): string | null {
    return this.isNull(column) ? null : this.text(column);
  }
}

const letterT = 0x74;

function int32At(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    if ((bytes[index] as number) > 0x7f) return false;
  }
  return true;
}

/** A row that the driver received and did not decode. */
export class DataRow {
  readonly name = "dataRow";
  readonly bytes: Buffer & Slices;
  readonly offset: number;
  /** The driver sets this to the length of the message. The constructor sets it to the length of the row. */
  length: number;

  constructor(bytes: Buffer, offset: number, length: number) {
    this.bytes = bytes as Buffer & Slices;
    this.offset = offset;
    this.length = length;
  }

  /** Decodes the columns, for queries whose rows the driver converts. */
  get fields(): (string | null)[] {
    const { bytes } = this;
    const fields: (string | null)[] = new Array(bytes.readInt16BE(this.offset));
    let next = this.offset + 2;
    for (let column = 0; column < fields.length; column++) {
      const size = int32At(bytes, next);
      next += 4;
      fields[column] = size < 0 ? null : bytes.utf8Slice(next, next + size);
      if (size > 0) next += size;
    }
    return fields;
  }
}
