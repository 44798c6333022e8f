import { openPerson } from "../../person.ts";
import { openShop } from "../../shop.ts";
import type { FuzzedService } from "./fuzzed-service.ts";
import { watchStalls } from "./stalls.ts";

/*
 * Runs the service in a child process, so that the fuzzer's own work is not measured as event loop time of the service.
 * The parent requests new credentials when a fuzzed request has revoked the old ones.
 */
const shop = await openShop({ acquirer: { slowAnswerMs: 50 } });
const stalls = watchStalls();

async function credentials() {
  const { account } = await shop.openMerchant();
  const key = (await shop.issueKey(account, false)).secret;
  const person = await openPerson(shop, { account });
  return { account, key, cookie: person.cookie() };
}

process.on("message", async (asked: "credentials" | "stalls" | "close") => {
  if (asked === "credentials") process.send?.({ credentials: await credentials() });
  if (asked === "stalls") {
    const faults = shop.log.filter(({ level }) => typeof level === "number" && level >= 50);
    process.send?.({ stalls: stalls.seen(), faults });
  }
  if (asked === "close") {
    stalls.stop();
    await shop.close();
    process.exit(0);
  }
});

const ready: FuzzedService = { url: shop.url, document: shop.document };
process.send?.({ ready });
