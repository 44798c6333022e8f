import { Resolver } from "node:dns/promises";
import { request as startRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { connect, createSecureContext } from "node:tls";
import type { Timers } from "../../core/timers.ts";
import type { ServerReplacement } from "./wallet-servers.ts";

export type HttpsRequest = {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly body?: string;
  /** The certificate and the private key of the client in PEM, for mutual TLS. The caller overwrites the key. */
  readonly client?: { readonly certificate: string; readonly privateKey: Buffer };
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
 * certificate, and follows no redirects. `nameServers` are DNS servers as `address:port`. The default is the servers of
 * the system.
 *
 * @throws ExchangeFailed (the returned function) if there is no complete response in time, or if it is too long.
 */
export function createSendHttps(
  timers: Timers,
  replacement: ServerReplacement | null,
  nameServers?: readonly string[],
): SendHttps {
  return ({ url, method, body, client, timeoutMs, maxBodyBytes }) =>
    new Promise((resolve, reject) => {
      const resolver = createResolver(nameServers);
      const end = (error: unknown) => {
        cancelTimeout();
        reject(new ExchangeFailed(codeOf(error)));
        request.destroy();
        resolver.cancel();
      };
      // Only this context gets the private key. The options of a request are also copied into the name of its
      // connection, which is a string and cannot be overwritten.
      const secureContext = createSecureContext({
        minVersion: "TLSv1.2",
        ...(replacement && { ca: replacement.certificateAuthority }),
        ...(client && { cert: client.certificate, key: client.privateKey }),
      });
      const request = startRequest({
        method,
        path: `${url.pathname}${url.search}`,
        // A new connection for each request, so that no request uses a connection that another merchant's certificate
        // has authenticated.
        createConnection: () =>
          connect({
            host: replacement?.host ?? url.hostname,
            port: replacement?.port ?? Number(url.port || 443),
            lookup: lookupWith(resolver),
            servername: url.hostname,
            secureContext,
            // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
            rejectUnauthorized: true,
          }),
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

/**
 * Creates the resolver of one request, so that the request's timeout cancels its queries. A lookup of the system
 * resolver cannot be canceled, and occupies one of four threads that the whole process shares.
 */
function createResolver(nameServers?: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: 700, tries: 3 });
  if (nameServers) resolver.setServers(nameServers);
  return resolver;
}

/** Returns a replacement of `dns.lookup` that uses the resolver. */
function lookupWith(resolver: Resolver): LookupFunction {
  return (name, { all }, callback) => {
    const queries = [resolver.resolve4(name), resolver.resolve6(name)];
    void Promise.allSettled(queries).then((responses) => {
      const addresses = responses.flatMap((response, index) =>
        response.status === "fulfilled"
          ? response.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
          : [],
      );
      const [first] = addresses;
      if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
      else if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "UNKNOWN";
}
