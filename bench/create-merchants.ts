import type { Clock } from "@florin/server/core/clock.ts";
import { newId } from "@florin/server/core/ids.ts";
import { insertAccount } from "@florin/server/identity/accounts/account.sql.ts";
import { newAccount } from "@florin/server/identity/accounts/account.ts";
import { type HashKey, issueApiKey } from "@florin/server/identity/api-keys/issue-api-key.ts";
import type { Database } from "@florin/server/platform/database/database.ts";
import type { Merchant } from "./processes/server-messages.ts";

/** The number of merchants that one transaction creates. */
const batchSize = 500;

/** Creates merchants, each with a key for test mode and a separate fee. */
export async function createMerchants(
  deps: { readonly database: Database; readonly clock: Clock; readonly hashKey: HashKey },
  count: number,
): Promise<Merchant[]> {
  const created: Merchant[] = [];
  while (created.length < count) {
    const batch = Math.min(batchSize, count - created.length);
    await deps.database.transaction(async (tx) => {
      for (let index = 0; index < batch; index++) {
        const account = newId("acct", deps.clock.now());
        const name = `Merchant ${created.length + 1}`;
        const feeBasisPoints = 100 + (created.length % 300);
        await insertAccount(tx, {
          ...newAccount,
          id: account,
          name,
          country: "US",
          feeBasisPoints,
        });
        const { secret } = await issueApiKey(deps, tx, { account, livemode: false }, "Bench");
        created.push({ account, secretKey: secret });
      }
    });
  }
  return created;
}
