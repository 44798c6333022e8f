import { systemClock } from "@florin/server/core/clock.ts";
import { newId, parseId } from "@florin/server/core/ids.ts";
import { connectDatabase } from "@florin/server/platform/database/database.ts";
import { CardNumber } from "@florin/server/vault/card-number.ts";
import { createSimulator } from "./simulator.ts";

/** Runs a process that a test kills. Authorizes in an endless loop and prints each approved reference. */
const [url = "", accountText = ""] = process.argv.slice(2);
const account = parseId("acct", accountText);
if (!account) throw new Error("Usage: authorize-in-loop.fixture.ts <database url> <account id>");

const database = connectDatabase({ url, poolSize: 2, onIdleError: () => {} });
const simulator = createSimulator({ database, clock: systemClock });
const card = {
  number: new CardNumber("4242424242424242"),
  expMonth: 12,
  expYear: new Date().getUTCFullYear() + 3,
  securityCode: null,
  postalCode: null,
  addressLine1: null,
};
const price = { amountMinor: 1999, currency: "usd" } as const;

async function authorizeForever(): Promise<void> {
  for (;;) {
    const reference = newId("ch", new Date());
    const requested = { account: account as `acct_${string}`, reference, price, card };
    const response = await simulator.authorize({
      ...requested,
      capture: true,
      authentication: null,
    });
    if (response.kind === "approved") process.stdout.write(`${reference}\n`);
  }
}

await Promise.all(Array.from({ length: 20 }, authorizeForever));
