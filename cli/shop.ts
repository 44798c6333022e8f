import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Config } from "@florin/server/config.ts";
import type { Demo } from "@florin/server/demo.ts";
import { freePort, nextFreePort } from "@florin/server/http/listen.ts";

/** The demo shop, which is a merchant's server: a process of its own that knows nothing of ours but the API. */
export type Shop = { readonly url: string; stop(): Promise<void> };

const defaultShopPort = 4243;
const shopFile = fileURLToPath(new URL("../examples/shop/shop.ts", import.meta.url));

/** Chosen before the shop starts, since the webhook endpoint has to know it. */
export async function choosePort({ shopHost: host, shopPort: asked }: Config): Promise<number> {
  const place = { host, setting: "SHOP_PORT" } as const;
  return asked === null
    ? nextFreePort({ ...place, port: defaultShopPort })
    : freePort({ ...place, port: asked });
}

export async function startShop(
  config: Config,
  florinUrl: string,
  demo: Demo,
  port: number,
): Promise<Shop> {
  const child = spawn(process.execPath, [shopFile], {
    // In a group of its own, so that Ctrl-C reaches us alone and the shop still takes the last webhooks.
    detached: true,
    // The channel carries nothing; the shop learns from its end that we are gone, whatever killed us.
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

/** The shop prints its address when it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  let printed = "";
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const [address] = /https?:\/\/\S+/.exec(printed) ?? [];
    if (address) return address;
  }
  throw new Error("The demo shop ended before it listened; its own message stands above.");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
