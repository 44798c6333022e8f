import { callApi } from "./call-api.ts";
import type { Merchant, Server } from "./processes/server-messages.ts";

/** The number of merchants of the server in the scenarios with many merchants, in addition to the default ones. */
export const merchantCount = 10_000;

/** The number of merchants of the filled database. */
export const filledMerchantCount = 1_000;

/** The number of requests in flight while the merchants are set up. */
const concurrency = 32;

/** Creates a rule for each merchant. The rule matches none of the charges of the bench. */
export async function createRules({ url, merchants }: Server): Promise<void> {
  await forEachMerchant(merchants, async (merchant, index) => {
    const expression = `amount > ${5_000_000 + index} && card_country != 'US'`;
    await callApi(url, merchant, "POST", "/rules", { expression, outcome: "decline" });
  });
}

/** Registers a webhook endpoint for each merchant. */
export async function registerEndpoints(
  { url }: Server,
  merchants: readonly Merchant[],
  receiverUrl: string,
): Promise<void> {
  await forEachMerchant(merchants, (merchant) =>
    callApi(url, merchant, "POST", "/webhook_endpoints", {
      url: receiverUrl,
      enabled_events: ["*"],
    }),
  );
}

async function forEachMerchant(
  merchants: readonly Merchant[],
  work: (merchant: Merchant, index: number) => Promise<unknown>,
): Promise<void> {
  const waiting = merchants.entries();
  const worker = async () => {
    for (const [index, merchant] of waiting) await work(merchant, index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/**
 * Returns a sequence of merchants in which the merchant of rank n occurs in proportion to 1 / n (Zipf's law), because
 * in practice a few merchants have most of the payments. The sequence is the same in every run.
 */
export function zipfSequence(merchants: readonly Merchant[], length: number): Merchant[] {
  const bounds: number[] = [];
  let sum = 0;
  for (const index of merchants.keys()) {
    sum += 1 / (index + 1);
    bounds.push(sum);
  }
  let state = 1;
  return Array.from({ length }, () => {
    // A linear congruential generator modulo 2^32, with the constants of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return merchants[firstAbove(bounds, (state / 2 ** 32) * sum)] as Merchant;
  });
}

/** Returns the index of the first bound above the value, by binary search. */
function firstAbove(bounds: readonly number[], value: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
