import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { simulatorPaths } from "@florin/simulator/three-d-secure/simulator-deps.ts";
import { type Behaviour, bankAnswersWithinMs } from "./cells.ts";

/**
 * The connection between the service and the directory server: real HTTP through a proxy that manipulates the AReq of
 * one payment and forwards everything else.
 */
export type DirectoryProxy = {
  readonly url: string;
  /** Sets the proxy's current target. */
  connect(target: string): void;
  arm(transaction: string, behaviour: Behaviour, hold: Hold | null): void;
  /** Payments whose AReq has reached the proxy. */
  readonly asked: ReadonlySet<string>;
  go(): void;
  /** Stops all manipulation. */
  heal(): void;
  close(): void;
};

export type Hold = "before it is sent" | "before it is answered";

type Answer = { readonly status: number; readonly type: string; readonly body: string };

const silence = (): Promise<never> => new Promise(() => undefined);
const tooLateMs = bankAnswersWithinMs + 250;

export async function startDirectoryProxy(): Promise<DirectoryProxy> {
  let target = "";
  let released = Promise.withResolvers<void>();
  const armed = new Map<string, { behaviour: Behaviour; hold: Hold | null }>();
  const asked = new Set<string>();

  async function forward(request: IncomingMessage, body: string): Promise<Answer> {
    const { method = "GET", url = "/", headers } = request;
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: { "content-type": headers["content-type"] ?? "text/plain" },
      ...(method !== "GET" && { body }),
    });
    const type = answer.headers.get("content-type") ?? "text/plain";
    return { status: answer.status, type, body: await answer.text() };
  }

  async function answerTo(request: IncomingMessage, body: string): Promise<Answer> {
    const send = () => forward(request, body);
    const transaction = request.url === simulatorPaths.directory ? transactionOf(body) : null;
    const orders = transaction && armed.get(transaction);
    if (!orders) return send();
    armed.delete(transaction);
    asked.add(transaction);
    if (orders.hold === "before it is sent") await released.promise;
    const answer = await spoil(orders.behaviour, send);
    if (orders.hold === "before it is answered") await silence();
    return answer;
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const answer = await answerTo(request, body).catch(() => null);
    if (answer) response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
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
    arm: (transaction, behaviour, hold) => void armed.set(transaction, { behaviour, hold }),
    asked,
    go: () => released.resolve(),
    heal() {
      armed.clear();
      released = Promise.withResolvers();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Applies one of the twelve behaviours, as a directory server or an issuer shows it. */
async function spoil(behaviour: Behaviour, send: () => Promise<Answer>): Promise<Answer> {
  switch (behaviour) {
    case "answers late":
      await sleep(150);
      return send();
    case "request lost":
      return silence();
    case "answer lost":
      await send();
      return silence();
    case "answers twice":
      // The issuer receives the message twice and responds twice.
      await send();
      return send();
    case "answers too late":
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
      return silence();
    case "another amount":
      // The response lacks its authentication value.
      return changed(await send(), { authenticationValue: undefined });
    case "pending, then no":
      return changed(await send(), { transStatus: "N", authenticationValue: undefined });
    case "another reference":
      return changed(await send(), { threeDSServerTransID: randomUUID() });
  }
}

function changed(answer: Answer, change: object): Answer {
  return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...change }) };
}

function transactionOf(body: string): string | null {
  try {
    const { messageType, threeDSServerTransID } = JSON.parse(body);
    return messageType === "AReq" ? threeDSServerTransID : null;
  } catch {
    return null;
  }
}
