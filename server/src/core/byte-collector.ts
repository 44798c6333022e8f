/** The minimum size of a block into which small chunks are copied. */
const minBlockBytes = 1024;
/** The maximum size of such a block. */
const maxBlockBytes = 16 * 1024;

/** A chunk of at least this size is kept as it is. The memory that each chunk object adds is then less than its data. */
const minPieceBytes = 1024;

/**
 * Collects the chunks of a stream. Small chunks are copied into blocks. Each chunk would otherwise keep an object of
 * about 250 bytes alive, so that a body of 64 KiB in chunks of one byte would take 16 MB.
 */
export class ByteCollector {
  /** The number of bytes collected. */
  length = 0;
  readonly #pieces: Buffer[] = [];
  readonly #onPiece: ((piece: Buffer) => void) | null;
  #block: Buffer | null = null;
  /** The range of the block whose data is not in `#pieces` yet. */
  #start = 0;
  #end = 0;

  /** Calls `onPiece` with all collected bytes, in order and without gaps. The last calls happen during `concat`. */
  constructor(onPiece: ((piece: Buffer) => void) | null = null) {
    this.#onPiece = onPiece;
  }

  append(chunk: Buffer): void {
    // Most bodies are a single chunk, which needs no block.
    const isFirst = this.length === 0;
    this.length += chunk.length;
    if (isFirst || chunk.length >= minPieceBytes) {
      this.#addBlock();
      this.#add(chunk);
      return;
    }
    if (this.#block === null || this.#block.length - this.#end < chunk.length) {
      this.#addBlock();
      const bytes = Math.min(Math.max(this.length, minBlockBytes), maxBlockBytes);
      this.#block = Buffer.allocUnsafeSlow(bytes);
      this.#start = 0;
      this.#end = 0;
    }
    chunk.copy(this.#block, this.#end);
    this.#end += chunk.length;
  }

  /**
   * Returns all bytes in a new buffer. If there are several pieces, overwrites them afterwards, because the bytes may
   * be card data. A single piece is left unchanged. Call this once.
   */
  concat(): Buffer {
    this.#addBlock();
    const bytes = Buffer.concat(this.#pieces, this.length);
    if (this.#pieces.length > 1) for (const piece of this.#pieces) piece.fill(0);
    return bytes;
  }

  #addBlock(): void {
    if (this.#block === null || this.#start === this.#end) return;
    this.#add(this.#block.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }

  #add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#onPiece?.(piece);
  }
}
