import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Config } from "@florin/server/config.ts";
import type { Demo } from "@florin/server/demo.ts";
import { freePort, nextFreePort } from "@florin/server/platform/http/listen.ts";

/** The demo shop: a merchant's server in a separate process, which uses only the public API. */
export type Shop = { readonly url: string; stop(): Promise<void> };

/** The first port to try when `SHOP_PORT` is not set. */
export const firstShopPort = 4243;
const shopFile = fileURLToPath(new URL("../examples/shop/shop.ts", import.meta.url));

/** Chooses the port before the shop starts, because the webhook endpoint needs it. */
export async function choosePort({ shopHost: host, shopPort: requested }: Config): Promise<number> {
  const place = { host, setting: "SHOP_PORT" } as const;
  return requested === null
    ? nextFreePort({ ...place, port: firstShopPort })
    : freePort({ ...place, port: requested });
}

export async function startShop(
  config: Config,
  florinUrl: string,
  demo: Demo,
  port: number,
): Promise<Shop> {
  const child = spawn(process.execPath, [shopFile], {
    // A separate process group, so that Ctrl-C reaches only the service and the shop still receives the last webhooks.
    detached: true,
    // The IPC channel carries no messages. The shop stops when the channel closes, even after a crash of the service.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: {
      SHOP_HOST: config.shopHost,
      SHOP_PORT: String(port),
      SHOP_DATA: `${config.dataDirectory}/shop`,
      FLORIN_URL: florinUrl,
      FLORIN_SECRET_KEY: demo.test_secret_key,
      FLORIN_WEBHOOK_SECRET: demo.webhook_secret,
    },
  });
  const url = await addressOf(child);
  return { url, stop: () => stop(child) };
}

/** Reads the URL that the shop prints when it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const [address] = /https?:\/\/\S+/.exec(printed) ?? [];
    if (address) return address;
  }
  throw new Error("The demo shop exited before it was ready. See its error message above.");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
