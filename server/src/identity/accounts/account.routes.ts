import { Account } from "@florin/contract/account.ts";
import { noSuch } from "../../core/api-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { readAccount } from "./account.sql.ts";
import { accountObject } from "./account-object.ts";
import type { IsConnected } from "./charging.ts";

export function accountRoutes({
  database,
  isConnected,
}: {
  readonly database: Pick<Database, "read">;
  readonly isConnected: IsConnected;
}): Route[] {
  return [
    route({
      method: "GET",
      path: "/account",
      summary: "Retrieve your account",
      permission: "account:read",
      response: Account,
      status: 200,
      async handle({ scope }) {
        // Bypasses the cache, so that a merchant sees a change immediately.
        const account = await readAccount(database.read, scope.account);
        if (!account) throw noSuch("account", scope.account);
        return ok(accountObject(account, scope.livemode, isConnected));
      },
    }),
  ];
}
