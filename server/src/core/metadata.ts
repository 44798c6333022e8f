import { metadataLimits } from "@florin/contract/metadata.ts";
import { ApiError } from "./api-error.ts";

export type Metadata = Readonly<Record<string, string>>;

/** Merges an update into the metadata. A null removes a pair. Rejects a result with too many pairs. */
export function mergeMetadata(
  metadata: Metadata,
  change: Readonly<Record<string, string | null>> | undefined,
): Metadata {
  if (!change) return metadata;
  const merged = new Map(Object.entries(metadata));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > metadataLimits.keys) {
    throw new ApiError(
      "metadata_invalid",
      `\`metadata\` must have at most ${metadataLimits.keys} pairs. The object would have ${merged.size}. Send null to remove a pair.`,
      { param: "metadata" },
    );
  }
  return Object.fromEntries(merged);
}
