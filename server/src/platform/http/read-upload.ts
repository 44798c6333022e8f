import { createHash } from "node:crypto";
import { finished } from "node:stream/promises";
import type { UploadLimits } from "@florin/contract/openapi-errors.ts";
import { sizeText } from "@florin/contract/size-text.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import { ByteCollector } from "../../core/byte-collector.ts";
import { alone, type Siblings, shareOf } from "../processes/siblings.ts";

export type { UploadLimits };

/** A file that was received as the body of a request. */
export type Upload = {
  readonly content: Buffer;
  /** The media type that the client declared, without parameters. */
  readonly mediaType: string;
  readonly sha256: string;
};

/** The maximum number of concurrent uploads of one caller. Each upload is held in memory. */
const maxUploadsOfCaller = 4;
/** The maximum number of concurrent uploads of all callers. Several processes divide it among them. */
const maxUploads = 32;

/** The time after which a slow upload may be canceled for a new one. */
const slowAfterMs = 3_000;
/** The speed below which an upload counts as slow. A working connection is faster. */
const slowBytesPerSecond = 32 * 1024;

export type ReadUpload = (
  request: FastifyRequest,
  caller: string,
  limits: UploadLimits,
) => Promise<Upload>;

/** An upload that is being received. */
type Receiving = {
  readonly caller: string;
  readonly startedAt: number;
  readonly stop: AbortController;
  receivedBytes: number;
};

/**
 * Receives files chunk by chunk and hashes each chunk as it arrives. No step blocks the event loop for the whole file,
 * and a file that is too large is rejected at the first byte beyond the limit.
 *
 * When the maximum total number of uploads is reached, a new upload cancels another upload: a very slow one, or one of
 * a caller that has more uploads than the new upload's caller would have. Otherwise an attacker could block all uploads
 * by sending many files slowly.
 */
export function createUploadReader(siblings: Siblings = alone): ReadUpload {
  const maxHeld = Math.max(1, shareOf(maxUploads, siblings));
  const uploads = new Set<Receiving>();

  function ofCaller(caller: string): number {
    return [...uploads].filter((upload) => upload.caller === caller).length;
  }

  /** Returns the slowest of the uploads that may be canceled, or null. */
  function findUploadToCancel(uploadsOfCaller: number, now: number): Receiving | null {
    const candidates = [...uploads].filter(
      (upload) => ofCaller(upload.caller) > uploadsOfCaller + 1 || isSlow(upload, now),
    );
    candidates.sort((one, other) => speedOf(one, now) - speedOf(other, now));
    return candidates[0] ?? null;
  }

  return async (request, caller, limits) => {
    const uploadsOfCaller = ofCaller(caller);
    if (uploadsOfCaller >= maxUploadsOfCaller) throw tooMany();
    const now = performance.now();
    if (uploads.size >= maxHeld) {
      const canceled = findUploadToCancel(uploadsOfCaller, now);
      if (!canceled) throw tooMany();
      uploads.delete(canceled);
      canceled.stop.abort(tooMany());
    }
    const stop = new AbortController();
    const receiving: Receiving = { caller, startedAt: now, stop, receivedBytes: 0 };
    uploads.add(receiving);
    try {
      return await receive(request, receiving, limits);
    } finally {
      uploads.delete(receiving);
    }
  };
}

function speedOf({ receivedBytes, startedAt }: Receiving, now: number): number {
  return (receivedBytes / Math.max(1, now - startedAt)) * 1_000;
}

function isSlow(upload: Receiving, now: number): boolean {
  return now - upload.startedAt > slowAfterMs && speedOf(upload, now) < slowBytesPerSecond;
}

async function receive(
  request: FastifyRequest,
  receiving: Receiving,
  { maxBytes }: UploadLimits,
): Promise<Upload> {
  const { raw, headers } = request;
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const hash = createHash("sha256");
  const collector = new ByteCollector((piece) => hash.update(piece));
  const take = (chunk: Buffer): void => {
    receiving.receivedBytes += chunk.length;
    if (receiving.receivedBytes > maxBytes) {
      receiving.stop.abort(tooLarge(maxBytes));
      return;
    }
    collector.append(chunk);
  };
  const { signal } = receiving.stop;
  raw.on("data", take);
  try {
    await finished(raw, { writable: false, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    // The rest of a rejected body is discarded. The connection stays open, because the response is sent on it.
    raw.off("data", take);
    raw.resume();
  }
  // Passes the last bytes to the hash, so it precedes the digest.
  const content = collector.concat();
  return {
    content,
    mediaType: mediaTypeOf(headers["content-type"]),
    sha256: hash.digest("hex"),
  };
}

function mediaTypeOf(contentType = ""): string {
  return (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function tooMany(): ApiError {
  return new ApiError(
    "rate_limit_exceeded",
    "The limit of concurrent uploads was exceeded. Wait until an upload ends, then retry.",
    { retryAfterSeconds: 2 },
  );
}

function tooLarge(maxBytes: number): ApiError {
  const limit = sizeText(maxBytes);
  return new ApiError("body_too_large", `The file must be at most ${limit}. Send a smaller file.`);
}

/** Makes these routes accept only bodies of the given media types. The bodies are left unread. */
export function acceptUploads(routes: FastifyInstance, mediaTypes: readonly string[]): void {
  routes.removeAllContentTypeParsers();
  routes.addContentTypeParser([...mediaTypes], (_request, payload, done) => done(null, payload));
}
