import { createPublicKey, type KeyObject } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ServerReplacement } from "../src/vault/wallets/wallet-servers.ts";
import {
  createAuthority,
  issueServerCertificate,
  type TestAuthority,
} from "./wallet-certificates.ts";

/** A request to Apple's server, with the subject of the client's certificate. */
export type ReceivedRequest = {
  readonly host: string;
  readonly path: string;
  readonly client: string;
  readonly body: unknown;
};

export type ScriptedResponse = {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Resolves when the response may be sent. */
  readonly after?: Promise<unknown>;
};

/**
 * Starts a TLS server that replaces the servers of Google and Apple. For requests to Apple, the server requires a
 * client certificate that `merchants` has issued.
 */
export async function startWalletServer(merchants: TestAuthority) {
  const authority = createAuthority("Test authority of servers");
  const { certificate, key } = issueServerCertificate(authority, [
    "apple-pay-gateway.apple.com",
    "apple-pay-gateway-cert.apple.com",
    "payments.developers.google.com",
  ]);
  const requests: ReceivedRequest[] = [];
  let googleKeys = '{"keys":[]}';
  let googleAfter: Promise<unknown> | undefined;
  const googlePaths: string[] = [];
  let scripted: () => ScriptedResponse = () => ({});

  const server = createServer(
    { cert: certificate, key, ca: merchants.pem, requestCert: true, rejectUnauthorized: false },
    async (request, response) => {
      const { host = "", url = "" } = { host: request.headers.host, url: request.url };
      if (host === "payments.developers.google.com") {
        googlePaths.push(url);
        await googleAfter;
        response.setHeader("cache-control", "max-age=600");
        response.end(googleKeys);
        return;
      }
      const socket = request.socket as TLSSocket;
      if (!socket.authorized) {
        response.statusCode = 401;
        response.end();
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      requests.push({
        host,
        path: url,
        client: String(socket.getPeerCertificate().subject.CN),
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      const { status = 200, body = '{"nonce":"2d18eab4"}', headers = {}, after } = scripted();
      await after;
      response.writeHead(status, headers);
      response.end(body);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const replacement: ServerReplacement = {
    host: "127.0.0.1",
    port,
    certificateAuthority: authority.pem,
  };
  return {
    replacement,
    requests,
    /** The paths of the requests for Google's keys. */
    googlePaths,
    /** Google's server responds with this text, as soon as `after` has resolved. */
    serveGoogleKeys(text: string, after?: Promise<unknown>) {
      googleKeys = text;
      googleAfter = after;
    },
    respondWith(next: () => ScriptedResponse) {
      scripted = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a list of Google's root keys that contains one key, in the form that `serveGoogleKeys` requires. */
export function listRootKey(root: KeyObject, protocolVersion = "ECv2"): string {
  const publicKey = createPublicKey(root).export({ format: "der", type: "spki" });
  const keyExpiration = String(Date.UTC(2100, 0));
  return JSON.stringify({
    keys: [{ keyValue: publicKey.toString("base64"), protocolVersion, keyExpiration }],
  });
}
