import { after } from "node:test";
import type { AcquirerOrigins } from "../src/acquiring/connector.ts";
import { closeChecked } from "./close-checked.ts";
import { type Shop, type ShopOptions, startShop } from "./shop.ts";

/**
 * Starts a shop whose live mode can connect to the fake. Closes both after the tests of the file. By default, also checks
 * the shop's database for consistency.
 */
export async function startLiveShop(
  acquirer: keyof AcquirerOrigins,
  fake: { readonly url: string; close(): Promise<void> },
  options: ShopOptions = {},
  close: (shop: Shop) => Promise<void> = closeChecked,
): Promise<Shop> {
  after(() => fake.close());
  const shop = await startShop({
    acquirers: "sandbox",
    acquirerOrigins: { [acquirer]: fake.url },
    inRealTime: true,
    ...options,
  });
  after(() => close(shop));
  return shop;
}
