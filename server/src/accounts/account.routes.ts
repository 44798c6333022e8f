import { Account } from "@florin/contract/account.ts";
import { ok, type Route, route } from "../http/route.ts";
import { accountObject } from "./account.ts";
import type { Accounts } from "./accounts.ts";

export function accountRoutes({ accounts }: { accounts: Accounts }): Route[] {
  return [
    route({
      method: "GET",
      path: "/account",
      summary: "Read your account",
      permission: "account:read",
      answer: Account,
      status: 200,
      async handle({ owner }) {
        return ok(accountObject(await accounts.get(owner.account), owner.livemode));
      },
    }),
  ];
}
