import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Clock } from "@florin/adyen-fake/clock.ts";
import { type Api, handleApiRequest } from "./api.ts";
import { authenticationPath, serveAuthentication } from "./authentication-page.ts";
import { controlPath, handleControlRequest, putAccount } from "./control-api.ts";
import { EventDelivery } from "./deliver-events.ts";
import { Platform } from "./platform.ts";
import type { Account } from "./records.ts";

export type CheckoutComFakeOptions = {
  /** 0 lets the system choose a free port. */
  readonly port?: number;
  /** The delay before each response, in milliseconds. */
  readonly responseDelayMs?: number;
  /** The time between the response to a capture, void or refund request and its execution, in milliseconds. */
  readonly processingMs?: number;
  readonly accounts?: readonly (Partial<Account> & {
    readonly id: string;
    /** The processing channels of the account. */
    readonly channels?: readonly string[];
  })[];
};

export type CheckoutComFake = {
  readonly port: number;
  /** The base URL of the API. */
  readonly url: string;
  close(): Promise<void>;
};

/** Allows the largest file of evidence, 4 MB (nas-openapi.json, `POST /files`). */
const maxBodyBytes = 5 * 1024 * 1024;

/** The account and the channel of a fake that is started without accounts. */
export const defaultAccount = {
  id: "cli_fakefakefakefakefakefakefa",
  channel: "pc_fakefakefakefakefakefakefa",
};

/** Starts the fake on the loopback interface. Its state is lost when it ends. */
export async function startCheckoutComFake(
  options: CheckoutComFakeOptions = {},
): Promise<CheckoutComFake> {
  const platform = new Platform(
    new Clock(),
    options.responseDelayMs ?? 0,
    options.processingMs ?? 0,
  );
  const { id, channel } = defaultAccount;
  for (const account of options.accounts ?? [{ id, channels: [channel] }]) {
    putAccount(platform, account.id, account);
  }
  const delivery = new EventDelivery(platform);
  platform.dispatchCaused = () => delivery.dispatch(platform.takeCausedEvents());
  const api: Api = { platform, delivery };
  const server = createServer((request, response) => receive(api, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  platform.baseUrl = url;
  return {
    port,
    url,
    async close() {
      platform.clock.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await delivery.close();
    },
  };
}

function receive(api: Api, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("error", () => response.destroy());
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    respond(api, request, response, Buffer.concat(chunks)).catch((error: unknown) => {
      // Logs the error without the request, which can contain card data.
      console.error("checkout.com fake: request failed", error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
}

async function respond(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<void> {
  const url = request.url ?? "/";
  const [path = "/", search = ""] = url.split("?", 2);
  if (path.startsWith(controlPath)) handleControlRequest(api, request, response, url, bytes);
  else if (path.startsWith(authenticationPath)) {
    serveAuthentication(api.platform, request, response, path, bytes);
  } else {
    const query = new URLSearchParams(search);
    await handleApiRequest(api, { request, path, query, bytes }, response);
  }
}
