import type { OutgoingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import type { RequestId } from "../../core/ids.ts";
import { limitKeyOf } from "../../core/scope.ts";
import type { ApiResponse, DownloadedFile } from "./route.ts";
import { throttleDownloads } from "./throttle-downloads.ts";

/** Sends a response of the API: JSON, another text, a stream or a file. */
export function sendResponse(reply: FastifyReply, response: ApiResponse): FastifyReply {
  reply.sentBody = response.body;
  if (response.replayed) reply.header("idempotent-replayed", "true");
  // A server that is shutting down accepts no further request on this connection.
  if (!reply.server.server.listening) reply.header("connection", "close");
  if (response.file) return sendFile(reply, response.file);
  // A response that is not JSON can contain text from outside. The header prevents browsers from interpreting it as
  // HTML.
  if (response.contentType) reply.header("x-content-type-options", "nosniff");
  // After `finish`, the operating system has copied the whole body, so its buffer can be reused. If the connection
  // breaks, the buffer is not reused.
  if (response.encoded) reply.raw.once("finish", response.encoded.release);
  return reply
    .code(response.status)
    .header("content-type", response.contentType ?? "application/json; charset=utf-8")
    .send(
      response.stream
        ? Readable.from(inPieces(reply, response.body, response.stream))
        : (response.encoded?.bytes ?? response.body),
    );
}

/**
 * Sends the status 200 and the headers of a stream that bypasses the framework, after `reply.hijack()`. Includes the
 * headers that every response has.
 */
export function sendStreamHead(reply: FastifyReply, headers: OutgoingHttpHeaders): void {
  reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
}

/** Sends an uploaded file as a download. The headers keep a browser from rendering it as a page of our origin. */
function sendFile(reply: FastifyReply, { bytes, mediaType, name }: DownloadedFile): FastifyReply {
  return reply
    .header("content-type", mediaType)
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", "sandbox; default-src 'none'")
    .header("content-disposition", `attachment; filename*=UTF-8''${encodeRfc5987(name)}`)
    .send(bytes);
}

/**
 * Percent-encodes a name, including the four characters that encodeURIComponent leaves unchanged but RFC 5987 does not
 * allow.
 */
function encodeRfc5987(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Streams the pieces. An error closes the connection, so that the client does not mistake a truncated body for a
 * complete one. The error is logged here, because a response that has already begun cannot report it. A disconnect of
 * the client is not logged. An `ApiError` is not logged either, because the caller may no longer read the rest.
 */
async function* inPieces(
  reply: FastifyReply,
  first: string,
  rest: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield first;
    yield* throttleDownloads(rest, merchantOf(reply));
  } catch (error) {
    if (!reply.raw.destroyed && !(error instanceof ApiError)) {
      reply.server.reportFault(reply.request.id as RequestId, error);
    }
    throw error;
  }
}

/**
 * Returns the account and mode of the request. Only routes of the API, which authenticate a merchant, return streams.
 */
function merchantOf({ request }: FastifyReply): string {
  const { caller } = request;
  return caller ? limitKeyOf(caller.scope) : "";
}
