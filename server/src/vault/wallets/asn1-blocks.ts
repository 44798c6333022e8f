import { type BaseBlock, fromBER, ObjectIdentifier } from "asn1js";

/** Decodes exactly one block. Throws if the bytes are malformed, or if others follow. */
export function decode(ber: Buffer): BaseBlock {
  const { offset, result } = fromBER(ber);
  assertThat(offset === ber.length);
  return result;
}

/** Returns the children of a constructed block. Throws for any other block. */
export function childrenOf(block: BaseBlock | undefined): BaseBlock[] {
  const { value } = (block?.valueBlock ?? {}) as { value?: unknown };
  assertThat(Array.isArray(value));
  return value as BaseBlock[];
}

export function oidOf(block: BaseBlock | undefined): string {
  assertThat(block instanceof ObjectIdentifier);
  return block.getValue();
}

/** Returns the encoding from which the block was decoded. */
export function bytesOf(block: BaseBlock | undefined): Buffer {
  assertThat(block !== undefined);
  return Buffer.from(block.valueBeforeDecodeView);
}

/** Returns whether the block has the context-specific tag. */
export function isContext(block: BaseBlock | undefined, tag: number): boolean {
  const contextSpecific = 3;
  return block?.idBlock.tagClass === contextSpecific && block.idBlock.tagNumber === tag;
}

/** Throws an error that contains no part of the decoded data. */
export function assertThat(condition: boolean): asserts condition {
  if (!condition) throw new Error("The encoding is malformed.");
}
