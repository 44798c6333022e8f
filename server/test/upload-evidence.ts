import type { Reply } from "./client.ts";
import { evidencePdf } from "./evidence-file.ts";
import type { Shop } from "./shop.ts";

export type EvidenceUpload = {
  readonly content?: Buffer;
  readonly name?: string;
  readonly mediaType?: string;
  readonly as?: string;
  readonly key?: string;
};

/** Uploads a file as evidence for a dispute. */
export function uploadEvidence(
  shop: Shop,
  dispute: string,
  {
    content = evidencePdf,
    name = "delivery.pdf",
    mediaType = "application/pdf",
    as = shop.merchant.key,
    key,
  }: EvidenceUpload = {},
): Promise<Reply> {
  const query = new URLSearchParams({ dispute_id: dispute, file_name: name });
  return shop.send("POST", `/api/v1/dispute_files?${query}`, {
    headers: {
      authorization: `Bearer ${as}`,
      "content-type": mediaType,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: content,
  });
}
