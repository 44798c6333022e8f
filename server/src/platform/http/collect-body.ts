import type { FastifyRequest } from "fastify";
import { ApiError } from "../../core/api-error.ts";
import { ByteCollector } from "../../core/byte-collector.ts";
import { bodyLimitBytes } from "./to-api-error.ts";

/**
 * The maximum size of all bodies that are being received, per process. Most bodies arrive within milliseconds, and
 * seldom take more than a few KB.
 */
const maxReceivingBytes = 64 * 1024 * 1024;

/** A body that is being received. */
type Receiving = { readonly reject: (error: Error) => void };

export type CollectBody = (
  request: FastifyRequest,
  payload: NodeJS.ReadableStream,
  done: (error: Error | null, body?: Buffer) => void,
) => void;

/**
 * Returns a content type parser that collects a body as bytes.
 *
 * When the bodies that are being received exceed their limit together, the oldest one is rejected. Otherwise an attacker
 * could fill the memory with bodies that never end. The body of a working client arrives within milliseconds, so it is
 * seldom the oldest one.
 */
export function createBodyCollector(maxBytes = maxReceivingBytes): CollectBody {
  /** The bodies whose first chunk was not the whole body, in the order of their first chunks. */
  const receiving = new Set<Receiving>();
  let receivingBytes = 0;

  return (request, payload, done) => {
    // Without Content-Length, this is NaN, and the body is rejected when it exceeds the limit.
    const declaredBytes = Number(request.headers["content-length"]);
    if (declaredBytes > bodyLimitBytes) {
      done(bodyTooLarge());
      return;
    }
    const collector = new ByteCollector();
    const body: Receiving = { reject: end };

    payload.on("data", onData);
    payload.on("end", onEnd);
    payload.on("error", end);
    payload.on("close", onClose);
    payload.resume();

    function onData(chunk: Buffer): void {
      if (collector.length + chunk.length > bodyLimitBytes) {
        end(bodyTooLarge());
        return;
      }
      collector.append(chunk);
      // Most bodies are a single chunk, and end in the same turn of the event loop. They are not added to the set: when a
      // set grows or shrinks, V8 keeps its previous table until the next full garbage collection, and that table would
      // keep finished requests in memory.
      if (chunk.length === declaredBytes) return;
      receiving.add(body);
      receivingBytes += chunk.length;
      for (const oldest of receiving) {
        if (receivingBytes <= maxBytes) break;
        oldest.reject(notInTime());
      }
    }

    function onEnd(): void {
      stop();
      done(null, collector.concat());
    }

    function end(error: Error): void {
      stop();
      done(error);
    }

    function onClose(): void {
      end(notInTime());
    }

    /** The rest of a rejected body is discarded. */
    function stop(): void {
      payload.off("data", onData);
      payload.off("end", onEnd);
      payload.off("error", end);
      payload.off("close", onClose);
      if (receiving.delete(body)) receivingBytes -= collector.length;
    }
  };
}

function bodyTooLarge(): ApiError {
  return new ApiError(
    "body_too_large",
    `The body must be at most ${bodyLimitBytes / 1024} KiB. Send less data.`,
  );
}

function notInTime(): ApiError {
  return new ApiError(
    "request_malformed",
    "The body did not arrive in time. Send the request again.",
  );
}
