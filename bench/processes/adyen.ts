import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";
import type { AdyenSettings } from "./server-messages.ts";

/** The fake of Adyen, with its own ledger in memory. It responds to each request after the given delay. */
const { account, responseDelayMs } = settingsOfThisProcess<AdyenSettings>();
const fake = await startAdyenFake({ accounts: [account], responseDelayMs });
serveBench({ url: fake.url }, fake.close);
