import { request as startRequest } from "node:https";
import type { Timers } from "../../core/timers.ts";
import type { ServerReplacement } from "./wallet-servers.ts";

export type HttpsRequest = {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly body?: string;
  /** The certificate and the private key of the client in PEM, for mutual TLS. */
  readonly client?: { readonly certificate: string; readonly privateKey: string };
  /** The timeout of the whole exchange. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
};

export type HttpsResponse = {
  readonly status: number;
  /** The header `Cache-Control`. */
  readonly cacheControl: string;
  readonly body: string;
};

/** A failed exchange. The message is a code, such as `ECONNREFUSED`, and contains no part of the request. */
export class ExchangeFailed extends Error {
  override name = "ExchangeFailed";
}

export type SendHttps = (request: HttpsRequest) => Promise<HttpsResponse>;

/**
 * Returns the function that sends requests to the servers of wallets. It requires at least TLS 1.2 with a verified
 * certificate, and follows no redirects.
 *
 * @throws ExchangeFailed (the returned function) if there is no complete response in time, or if it is too long.
 */
export function createSendHttps(timers: Timers, replacement: ServerReplacement | null): SendHttps {
  return ({ url, method, body, client, timeoutMs, maxBodyBytes }) =>
    new Promise((resolve, reject) => {
      const end = (error: unknown) => {
        cancelTimeout();
        reject(new ExchangeFailed(codeOf(error)));
        request.destroy();
      };
      const request = startRequest({
        method,
        host: replacement?.host ?? url.hostname,
        port: replacement?.port ?? url.port,
        path: url.pathname,
        servername: url.hostname,
        // A connection is used once, so that no connection that one merchant authenticated serves another.
        agent: false,
        // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
        rejectUnauthorized: true,
        minVersion: "TLSv1.2",
        ...(replacement && { ca: replacement.certificateAuthority }),
        ...(client && { cert: client.certificate, key: client.privateKey }),
        headers: {
          Host: url.host,
          Accept: "application/json",
          ...(body !== undefined && {
            "Content-Type": "application/json",
            "Content-Length": Buffer.byteLength(body),
          }),
        },
      });
      const cancelTimeout = timers.after(timeoutMs, () => end({ code: "TIMEOUT" }));
      request.on("error", end);
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("error", end);
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBodyBytes) end({ code: "RESPONSE_TOO_LONG" });
          else chunks.push(chunk);
        });
        response.on("end", () => {
          cancelTimeout();
          resolve({
            status: response.statusCode ?? 0,
            cacheControl: response.headers["cache-control"] ?? "",
            body: Buffer.concat(chunks).toString(),
          });
        });
      });
      request.end(body);
    });
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "UNKNOWN";
}
