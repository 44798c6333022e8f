import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../primitives/api-error.ts";

/** The files that a route takes. */
export type UploadLimits = {
  readonly mediaTypes: readonly string[];
  readonly maxBytes: number;
};

/** A file that was received as the body of a request. */
export type Upload = {
  readonly content: Buffer;
  /** The media type that the client declared, without parameters. */
  readonly mediaType: string;
  readonly sha256: string;
};

/** Files that are received at once, for each caller and for all. Each holds up to its limit in memory. */
const maxUploadsOfCaller = 4;
const maxUploads = 32;

export type ReadUpload = (
  request: FastifyRequest,
  caller: string,
  limits: UploadLimits,
) => Promise<Upload>;

/**
 * Receives files chunk by chunk and hashes each chunk as it arrives, so that no step holds the event loop for the whole
 * file, and a file that is too large is rejected at the first byte beyond the limit.
 */
export function createUploadReader(): ReadUpload {
  const uploads = new Map<string, number>();
  let total = 0;

  return async (request, caller, limits) => {
    const own = uploads.get(caller) ?? 0;
    if (own >= maxUploadsOfCaller || total >= maxUploads) {
      throw new ApiError(
        "rate_limit_exceeded",
        "Too many files are being uploaded at once. Wait for one to end, then retry.",
        { retryAfterSeconds: 2 },
      );
    }
    uploads.set(caller, own + 1);
    total += 1;
    try {
      return await receive(request, limits);
    } finally {
      total -= 1;
      const left = (uploads.get(caller) ?? 1) - 1;
      if (left === 0) uploads.delete(caller);
      else uploads.set(caller, left);
    }
  };
}

async function receive(request: FastifyRequest, { maxBytes }: UploadLimits): Promise<Upload> {
  const { raw, headers } = request;
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const hash = createHash("sha256");
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection outlives a rejected body: the response is still to be sent on it.
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) {
      raw.resume();
      throw tooLarge(maxBytes);
    }
    hash.update(chunk);
    chunks.push(chunk);
  }
  return {
    content: Buffer.concat(chunks, size),
    mediaType: mediaTypeOf(headers["content-type"]),
    sha256: hash.digest("hex"),
  };
}

function mediaTypeOf(contentType = ""): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    "body_too_large",
    `The file must have at most ${maxBytes / 1024 / 1024} MiB. Send a smaller one.`,
  );
}

/** Makes these routes take bodies of the media types without reading them, and nothing else. */
export function acceptUploads(routes: FastifyInstance, mediaTypes: readonly string[]): void {
  routes.removeAllContentTypeParsers();
  routes.addContentTypeParser([...mediaTypes], (_request, payload, done) => done(null, payload));
}
