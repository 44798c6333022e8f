import type { FastifyReply } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";
import type { ApiResponse } from "./route.ts";

/** Smaller responses are not counted, because the operating system takes them at once. */
const minCountedBytes = 64 * 1024;

/** The size that a download is counted with: the page that the client reads, and the next one. */
const downloadBytes = 2 * 1024 * 1024;

/** The maximum size of the unread responses of this process: of one merchant, and of those merchants together. */
const maxBytes = { merchant: 64 * 1024 * 1024, process: 512 * 1024 * 1024 } as const;

/**
 * Runs the work of a request that reads data, and counts its response until the client has read it. Rejects the request
 * if the merchant's clients have too many responses to read. Otherwise, clients that read nothing could fill the memory.
 */
export type LimitUnread = (
  reply: FastifyReply,
  account: AccountId,
  work: () => Promise<ApiResponse>,
) => Promise<ApiResponse>;

export function limitUnreadResponses(): LimitUnread {
  const bytesOf = new Map<AccountId, number>();
  let total = 0;

  function add(account: AccountId, bytes: number): void {
    total += bytes;
    const after = (bytesOf.get(account) ?? 0) + bytes;
    if (after === 0) bytesOf.delete(account);
    else bytesOf.set(account, after);
  }

  return async ({ raw }, account, work) => {
    const own = bytesOf.get(account) ?? 0;
    // A merchant without such a response is never rejected because of the others.
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
    add(account, bytes);
    raw.once("close", () => add(account, -bytes));
    return response;
  };
}

function sizeOf({ stream, file, encoded, body }: ApiResponse): number {
  if (stream) return downloadBytes;
  return (file?.bytes ?? encoded?.bytes ?? body).length;
}
