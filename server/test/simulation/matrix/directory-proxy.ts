import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { simulatorPaths } from "@florin/simulator/three-d-secure/simulator-deps.ts";
import { type Behavior, directoryTimeoutMs } from "./fault-cases.ts";

/**
 * An HTTP proxy between the service and the directory server. Applies a fault to the AReq of each armed payment, and
 * forwards all other messages unchanged.
 */
export type DirectoryProxy = {
  readonly url: string;
  /** Sets the origin of the directory server. */
  connect(target: string): void;
  arm(transaction: string, behavior: Behavior, pauseAt: PausePoint | null): void;
  /** The 3DS Server transaction IDs whose AReq has reached the proxy. */
  readonly reached: ReadonlySet<string>;
  resume(): void;
  /** Removes all faults. */
  stopFaults(): void;
  close(): void;
};

export type PausePoint = "before it is sent" | "before the response";

type ProxyResponse = { readonly status: number; readonly type: string; readonly body: string };

const noResponse = (): Promise<never> => new Promise(() => undefined);
const tooLateMs = directoryTimeoutMs + 250;

export async function startDirectoryProxy(): Promise<DirectoryProxy> {
  let target = "";
  let released = Promise.withResolvers<void>();
  const armed = new Map<string, { behavior: Behavior; pauseAt: PausePoint | null }>();
  const reached = new Set<string>();

  async function forward(request: IncomingMessage, body: string): Promise<ProxyResponse> {
    const { method = "GET", url = "/", headers } = request;
    const response = await fetch(`${target}${url}`, {
      method,
      headers: { "content-type": headers["content-type"] ?? "text/plain" },
      ...(method !== "GET" && { body }),
    });
    const type = response.headers.get("content-type") ?? "text/plain";
    return { status: response.status, type, body: await response.text() };
  }

  async function respond(request: IncomingMessage, body: string): Promise<ProxyResponse> {
    const send = () => forward(request, body);
    const transaction = request.url === simulatorPaths.directory ? transactionOf(body) : null;
    const fault = transaction && armed.get(transaction);
    if (!fault) return send();
    armed.delete(transaction);
    reached.add(transaction);
    if (fault.pauseAt === "before it is sent") await released.promise;
    const response = await applyBehavior(fault.behavior, send);
    if (fault.pauseAt === "before the response") await noResponse();
    return response;
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const reply = await respond(request, body).catch(() => null);
    if (reply) response.writeHead(reply.status, { "content-type": reply.type }).end(reply.body);
    else response.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };

  return {
    url: `http://127.0.0.1:${port}`,
    connect: (url) => {
      target = url;
    },
    arm: (transaction, behavior, pauseAt) => void armed.set(transaction, { behavior, pauseAt }),
    reached,
    resume: () => released.resolve(),
    stopFaults() {
      armed.clear();
      released = Promise.withResolvers();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Applies one of the twelve faults to an AReq, as it would occur at a directory server or an issuer. */
async function applyBehavior(
  behavior: Behavior,
  send: () => Promise<ProxyResponse>,
): Promise<ProxyResponse> {
  switch (behavior) {
    case "responds late":
      await sleep(150);
      return send();
    case "request lost":
      return noResponse();
    case "response lost":
      await send();
      return noResponse();
    case "responds twice":
      // The issuer receives the message twice and responds twice.
      await send();
      return send();
    case "responds too late":
      await sleep(tooLateMs);
      return send();
    case "garbage":
      return { ...(await send()), body: "<html>Bad Gateway</html>" };
    case "502 or reset":
      await send();
      return { status: 502, type: "text/html", body: "<html>Bad Gateway</html>" };
    case "arrives after not found":
    case "hangs":
      await sleep(tooLateMs);
      await send();
      return noResponse();
    case "another amount":
      // The response lacks its authentication value.
      return changed(await send(), { authenticationValue: undefined });
    case "pending, then no":
      return changed(await send(), { transStatus: "N", authenticationValue: undefined });
    case "another reference":
      return changed(await send(), { threeDSServerTransID: randomUUID() });
  }
}

function changed(response: ProxyResponse, change: object): ProxyResponse {
  return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...change }) };
}

function transactionOf(body: string): string | null {
  try {
    const { messageType, threeDSServerTransID } = JSON.parse(body);
    return messageType === "AReq" ? threeDSServerTransID : null;
  } catch {
    return null;
  }
}
