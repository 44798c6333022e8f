import { Account as AccountSchema, UpdateAccount } from "@florin/contract/account.ts";
import { lockAccount, readAccount, updateAccountSettings } from "../accounts/account.sql.ts";
import type { Account } from "../accounts/account.ts";
import { accountObject } from "../accounts/account-object.ts";
import type { IsConnected } from "../accounts/charging.ts";
import { actIn } from "../audit/act.ts";
import { recordAct } from "../audit/record-act.ts";
import type { Database } from "../database/database.ts";
import { announceAccount } from "../events/announce-account.ts";
import { type ApiRequest, ok, type Route, route } from "../http/route.ts";
import type { IdempotencyKeys } from "../idempotency/idempotency.ts";
import { noSuch } from "../primitives/api-error.ts";
import type { Clock } from "../primitives/clock.ts";

export type AccountSettingsDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly isConnected: IsConnected;
  readonly wakeDeliveries: () => void;
};

/** What a merchant decides of its account by itself, for both modes. */
export function accountSettingsRoutes(deps: AccountSettingsDeps): Route[] {
  const { clock, idempotencyKeys, isConnected, wakeDeliveries } = deps;

  return [
    route({
      method: "POST",
      path: "/account",
      summary: "Update your account",
      permission: "account:write",
      body: UpdateAccount,
      answer: AccountSchema,
      status: 200,
      handle: (request) => update(request),
    }),
  ];

  async function update(request: ApiRequest<UpdateAccount>) {
    const { owner, body, idempotency, id } = request;
    const answer = await idempotencyKeys.once(owner, idempotency, async (tx) => {
      // Two at once would each tell of what was before both.
      await lockAccount(tx, owner.account);
      const before = await readAccount(tx, owner.account);
      if (!before) throw noSuch("account", owner.account);
      if (Object.keys(body).length === 0)
        return ok(accountObject(before, owner.livemode, isConnected));
      const after = { ...before, ...changeIn(body) };
      await updateAccountSettings(tx, after);
      const cause = { id, idempotencyKey: idempotency?.key ?? null };
      await announceAccount(tx, before, { cause, now: clock.now(), isConnected });
      const act = actIn(request, {
        livemode: null,
        action: "account.updated",
        object: owner.account,
        before: settingsIn(body, before),
        after: settingsIn(body, after),
      });
      await recordAct(tx, act, clock);
      return ok(
        accountObject({ ...after, version: before.version + 1 }, owner.livemode, isConnected),
      );
    });
    wakeDeliveries();
    return answer;
  }
}

function changeIn({ payout_schedule, allowed_origins }: UpdateAccount): Partial<Account> {
  return {
    ...(payout_schedule && { payoutSchedule: payout_schedule }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
  };
}

/** How an account stands in what was asked for. */
function settingsIn(body: UpdateAccount, account: Account) {
  return {
    ...(body.payout_schedule && { payout_schedule: account.payoutSchedule }),
    ...(body.allowed_origins && { allowed_origins: account.allowedOrigins }),
  };
}
