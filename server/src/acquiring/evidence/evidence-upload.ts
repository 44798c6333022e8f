import { randomBytes } from "node:crypto";

/** The body of an upload, as multipart form data (RFC 7578). */
export type EvidenceUpload = { readonly contentType: string; readonly body: Buffer };

/**
 * Returns the upload of evidence for a dispute. Stripe (docs.stripe.com/api/files/create) and Checkout.com
 * (`POST /files` of its API reference) expect the same two fields.
 */
export function evidenceUpload(pdf: Buffer): EvidenceUpload {
  const boundary = `florin-${randomBytes(16).toString("hex")}`;
  const head = [
    `--${boundary}`,
    'content-disposition: form-data; name="purpose"',
    "",
    "dispute_evidence",
    `--${boundary}`,
    'content-disposition: form-data; name="file"; filename="evidence.pdf"',
    "content-type: application/pdf",
    "",
    "",
  ].join("\r\n");
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), pdf, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
