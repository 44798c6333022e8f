import { constants, setPriority } from "node:os";
import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";
import type { AdyenSettings } from "./server-messages.ts";

/** The fake of Adyen, with its own ledger in memory. It responds to each request after the given delay. */
const { account, responseDelayMs } = settingsOfThisProcess<AdyenSettings>();
// In production, the acquirer runs on its own computers. The low priority reduces how often the fake interrupts the
// service on the cores that both use here.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const fake = await startAdyenFake({ accounts: [account], responseDelayMs });
serveBench({ url: fake.url }, fake.close);
