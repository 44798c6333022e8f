import { constants, setPriority } from "node:os";
import { startAdyenFake } from "@florin/adyen-fake/adyen-fake.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";
import type { AdyenSettings } from "./server-messages.ts";

/** The fake of Adyen, with its own ledger in memory. It responds to each request after the given delay. */
const { account, responseDelayMs } = settingsOfThisProcess<AdyenSettings>();
// The fake stands for the acquirer's own computers. With a low priority, it interrupts the service less often on the
// cores that they share here.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const fake = await startAdyenFake({ accounts: [account], responseDelayMs });
serveBench({ url: fake.url }, fake.close);
