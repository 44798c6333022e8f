import type { FastifyReply } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import { maxPageBytes } from "./download.ts";
import type { ApiResponse } from "./route.ts";

/** Smaller responses are not counted, because a connection's buffers in the operating system usually hold them. */
const minCountedBytes = 64 * 1024;

/** The bytes that each download counts toward the limit: two pages, the one that the client reads and the next one. */
const downloadBytes = 2 * maxPageBytes;

/**
 * The maximum size of the unread responses that each process holds: of one merchant in one mode, and of all merchants.
 */
const maxBytes = { merchant: 64 * 1024 * 1024, process: 512 * 1024 * 1024 } as const;

/**
 * Runs the work of a request that reads data, and counts its response until the client has read it. Rejects the request
 * if the merchant's clients have too many responses to read. Otherwise, clients that read nothing could fill the memory.
 */
export type LimitUnread = (
  reply: FastifyReply,
  merchant: string,
  work: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

export function limitUnreadResponses(): LimitUnread {
  const bytesOf = new Map<string, number>();
  let total = 0;

  function add(merchant: string, bytes: number): void {
    total += bytes;
    const after = (bytesOf.get(merchant) ?? 0) + bytes;
    if (after === 0) bytesOf.delete(merchant);
    else bytesOf.set(merchant, after);
  }

  return async ({ raw }, merchant, work) => {
    const own = bytesOf.get(merchant) ?? 0;
    // A merchant whose clients have no unread response is never rejected because of other merchants' unread responses.
    if (own >= maxBytes.merchant || (own > 0 && total >= maxBytes.process)) {
      throw new ApiError(
        "concurrency_limit_exceeded",
        "Too many large responses have not been read. Read or close them, then retry.",
        { retryAfterSeconds: 10 },
      );
    }
    const response = await work();
    const bytes = sizeOf(response);
    // A destroyed response has already emitted `close`.
    if (bytes < minCountedBytes || raw.destroyed) return response;
    add(merchant, bytes);
    raw.once("close", () => add(merchant, -bytes));
    return response;
  };
}

/** Returns the size of a response, in bytes or in the characters of its text. */
export function sizeOf({ stream, file, encoded, body }: ApiResponse): number {
  if (stream) return downloadBytes;
  return (file?.bytes ?? encoded?.bytes ?? body).length;
}
