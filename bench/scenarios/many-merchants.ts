import type { Environment } from "../environment.ts";
import { zipfSequence } from "../many-merchants.ts";
import type { Run } from "../measurement.ts";
import type { Merchant, Server } from "../processes/server-messages.ts";
import { measureCharges, measureWholeSystem } from "./charges.ts";
import type { Scenario } from "./scenario.ts";

const listenerCount = 1_000;

/**
 * Returns the merchants whose charges are measured, all of which have a webhook endpoint. These are the last merchants
 * of the server or, if `count` is 1, the merchant before those.
 */
function listenersOf({ merchants }: Server, count: number): readonly Merchant[] {
  return count === 1
    ? merchants.slice(-listenerCount - 1, -listenerCount)
    : merchants.slice(-listenerCount);
}

/**
 * Charges of many merchants, each with a separate key, fee and rule. The same server is measured with one merchant, for
 * comparison.
 */
export const manyMerchantScenarios: readonly Scenario[] = [
  ...[64, 256].flatMap((connections) =>
    [1, 200, 1_000].map((count) => ({
      name: `charges of ${merchantsText(count)}, ${connections} connections`,
      measure: async (environment: Environment, run: Run) => {
        const server = await environment.serverOfMany();
        const merchants = server.merchants.slice(0, count);
        return measureCharges(environment, server, connections, run, { merchants });
      },
    })),
  ),
  {
    name: "charges of 10,000 merchants by Zipf's law, 256 connections",
    measure: async (environment, run) => {
      const server = await environment.serverOfMany();
      const merchants = zipfSequence(server.merchants.slice(0, -listenerCount - 1), 100_000);
      return measureCharges(environment, server, 256, run, { merchants });
    },
  },
  ...[1, listenerCount].map((count) => ({
    name: `whole system of ${merchantsText(count)}, 256 connections`,
    measure: async (environment: Environment, run: Run) => {
      const server = await environment.serverOfMany();
      return measureWholeSystem(environment, server, listenersOf(server, count), 256, run);
    },
  })),
  ...[1, 1_000].map((count) => ({
    name: `charges of ${merchantsText(count)}, open loop at 3,000/s`,
    measure: async (environment: Environment, run: Run) => {
      const server = await environment.serverOfMany();
      const merchants = server.merchants.slice(0, count);
      return measureCharges(environment, server, 128, run, { rate: 3_000, merchants });
    },
  })),
];

function merchantsText(count: number): string {
  return count === 1 ? "1 merchant" : `${count.toLocaleString("en-US")} merchants`;
}
