import Type from "typebox";
import { unwritable } from "./text.ts";

/**
 * The limits of metadata: up to 50 pairs, keys of up to 40 characters without square brackets, and values of up to 500
 * characters.
 */
export const metadataLimits = {
  keys: 50,
  keyLength: 40,
  valueLength: 500,
  /** The maximum number of pairs in a list filter. */
  filterKeys: 5,
} as const;

const keyPattern = `^[^\\[\\]${unwritable}]{1,${metadataLimits.keyLength}}$`;
const value = Type.String({
  maxLength: metadataLimits.valueLength,
  pattern: `^[^${unwritable}]*$`,
});

/** The metadata of an object. */
export type Metadata = Record<string, string>;

export function metadata() {
  return Type.Unsafe<Metadata>({
    type: "object",
    patternProperties: { [keyPattern]: value },
    additionalProperties: false,
    maxProperties: metadataLimits.keys,
    "x-florin": "metadata",
    description:
      "Your own pairs of strings, stored with the object and returned with it: at most 50 pairs, with keys of up to 40 characters and values of up to 500.",
  });
}

/** Metadata in an update. The pairs are merged, and null removes a key. */
export type MetadataChange = Record<string, string | null>;

export function metadataChange() {
  return Type.Unsafe<MetadataChange>({
    type: "object",
    patternProperties: { [keyPattern]: Type.Union([value, Type.Null()]) },
    additionalProperties: false,
    maxProperties: metadataLimits.keys,
    "x-florin": "metadata",
    description:
      "Pairs to set. A null value removes the pair. Pairs that are not sent stay unchanged.",
  });
}

/** A filter by metadata: `metadata[order]=1234`. */
export function metadataFilter() {
  return Type.Unsafe<Metadata>({
    type: "object",
    patternProperties: { [keyPattern]: value },
    additionalProperties: false,
    maxProperties: metadataLimits.filterKeys,
    "x-florin": "metadata",
    description: "Metadata pairs to filter by. Every pair must match: `metadata[order]=1234`.",
  });
}
