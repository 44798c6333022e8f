import { after } from "node:test";
import type { AcquirerOrigins } from "../src/acquiring/connector.ts";
import { closeChecked } from "./close-checked.ts";
import { type Shop, type ShopOptions, startShop } from "./shop.ts";

/** The fake of each acquirer. */
type Fakes = Readonly<
  Partial<Record<keyof AcquirerOrigins, { readonly url: string; close(): Promise<void> }>>
>;

/**
 * Starts a shop whose live mode can connect to the fakes. Closes all of them after the tests of the file. By default,
 * also checks the shop's database for consistency.
 */
export async function startLiveShop(
  fakes: Fakes,
  options: ShopOptions = {},
  close: (shop: Shop) => Promise<void> = closeChecked,
): Promise<Shop> {
  for (const fake of Object.values(fakes)) after(() => fake.close());
  const shop = await startShop({
    acquirers: "sandbox",
    acquirerOrigins: Object.fromEntries(
      Object.entries(fakes).map(([acquirer, { url }]) => [acquirer, url]),
    ),
    inRealTime: true,
    ...options,
  });
  after(() => close(shop));
  return shop;
}
