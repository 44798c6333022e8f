const firstSize = 64 * 1024;
/** A batch of unusually large rows must not keep its memory for good. */
const largestKept = 1024 * 1024;

/** A character takes up to three bytes in UTF-8 (those of a surrogate pair two each). */
const mostBytesPerCharacter = 3;

/**
 * Bytes on their way to Postgres, written one after the other into memory that is used again for the next message.
 * Integers are sent high byte first.
 */
export class WireBuffer {
  private bytes = Buffer.allocUnsafeSlow(firstSize);
  private end = 0;

  /** Begins the next message; what `take` gave out before is overwritten. */
  restart(): void {
    if (this.bytes.length > largestKept) this.bytes = Buffer.allocUnsafeSlow(firstSize);
    this.end = 0;
  }

  /** Everything since the last `restart`, without a copy. */
  take(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  get length(): number {
    return this.end;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.end] = value;
    this.end += 1;
  }

  int16(value: number): void {
    this.reserve(2);
    this.end = this.bytes.writeInt16BE(value, this.end);
  }

  int32(value: number): void {
    this.reserve(4);
    this.end = this.bytes.writeInt32BE(value, this.end);
  }

  /** Writes an integer over one that was left open, such as a length that is known only afterwards. */
  setInt32(value: number, at: number): void {
    this.bytes.writeInt32BE(value, at);
  }

  text(value: string): void {
    this.reserve(value.length * mostBytesPerCharacter);
    this.end += this.bytes.write(value, this.end, "utf8");
  }

  copy(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.end);
    this.end += value.length;
  }

  /** Room for `count` bytes that somebody else writes: where it begins in `memory`, which only now is large enough. */
  room(count: number): number {
    this.reserve(count);
    this.end += count;
    return this.end - count;
  }

  get memory(): Buffer {
    return this.bytes;
  }

  private reserve(count: number): void {
    if (this.end + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.end + count));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}
