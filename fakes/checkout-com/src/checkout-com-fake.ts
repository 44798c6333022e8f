import type { IncomingMessage, ServerResponse } from "node:http";
import { Clock } from "@florin/shared-fake/clock.ts";
import { controlPath } from "@florin/shared-fake/control-request.ts";
import { startLocalServer } from "@florin/shared-fake/local-server.ts";
import { type Api, handleApiRequest } from "./api.ts";
import { authenticationPath, serveAuthentication } from "./authentication-page.ts";
import { handleControlRequest, putAccount } from "./control-api.ts";
import { startEventDelivery } from "./deliver-events.ts";
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
  const delivery = startEventDelivery(platform);
  platform.dispatchCaused = () => delivery.dispatchCaused();
  const api: Api = { platform, delivery };
  const server = await startLocalServer({
    port: options.port ?? 0,
    name: "checkout.com",
    maxBodyBytes,
    respond: (request, response, body) => respond(api, request, response, body),
  });
  const { port, url } = server;
  platform.baseUrl = url;
  return {
    port,
    url,
    async close() {
      platform.clock.close();
      await server.close();
      await delivery.close();
    },
  };
}

async function respond(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): Promise<void> {
  const url = request.url ?? "/";
  const [path = "/", search = ""] = url.split("?", 2);
  if (path.startsWith(controlPath)) await handleControlRequest(api, request, response, bytes);
  else if (path.startsWith(authenticationPath)) {
    serveAuthentication(api.platform, request, response, path, bytes);
  } else {
    const query = new URLSearchParams(search);
    await handleApiRequest(api, { request, path, query, bytes }, response);
  }
}
