const firstSize = 64 * 1024;
/** A larger buffer is released after its message, so that one unusually large batch does not occupy memory forever. */
const maxKeptBytes = 1024 * 1024;

/** A UTF-16 code unit takes up to three bytes in UTF-8. A surrogate pair takes four. */
const maxBytesPerCharacter = 3;

/** A buffer for messages to Postgres. Its memory is reused for the next message. Integers are big-endian. */
export class WireBuffer {
  private bytes = Buffer.allocUnsafeSlow(firstSize);
  private end = 0;

  /** Begins the next message. Invalidates the buffer that `take` returned before. */
  restart(): void {
    if (this.bytes.length > maxKeptBytes) this.bytes = Buffer.allocUnsafeSlow(firstSize);
    this.end = 0;
  }

  /** Returns the bytes written since the last `restart`, without copying them. */
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

  /** Overwrites an integer, such as a length that is known only after its content is written. */
  setInt32(value: number, at: number): void {
    this.bytes.writeInt32BE(value, at);
  }

  text(value: string): void {
    this.reserve(value.length * maxBytesPerCharacter);
    this.end += this.bytes.write(value, this.end, "utf8");
  }

  copy(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.end);
    this.end += value.length;
  }

  /**
   * Reserves `count` bytes for the caller to write and returns their offset in `memory`. Read `memory` only after this
   * call, because the call may replace the memory.
   */
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
