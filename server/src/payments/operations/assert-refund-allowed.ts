import { dollarsIn } from "@florin/contract/currency.ts";
import type { Money } from "../../core/money.ts";
import { lockMemberOf } from "../../identity/accounts/member.sql.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { assertRecentStepUp, isStepUpRecent } from "../../platform/http/caller.ts";
import type { ApiRequest } from "../../platform/http/route.ts";
import { sumRefundsBy } from "./operation.sql.ts";

/**
 * The sum in US dollars at which a person's refunds start to require a step-up. It is converted to the currency of the
 * refund.
 */
const stepUpDollars = 500;

const windowMs = 24 * 60 * 60_000;

/**
 * Requires a recent step-up if the person's refunds of the last 24 hours, including this one, reach the limit. The
 * limit applies to the sum, because a stolen session could otherwise refund any amount in small parts. Does not apply
 * to API keys.
 */
export async function assertRefundAllowed(
  tx: Tx,
  { scope, actor, authenticatedAt }: Pick<ApiRequest, "scope" | "actor" | "authenticatedAt">,
  { amountMinor, currency }: Money,
  now: Date,
): Promise<void> {
  if (actor.kind !== "person" || isStepUpRecent(authenticatedAt, now)) return;
  // Serializes concurrent refunds by one person, so that each is included in the sum of the next.
  await lockMemberOf(tx, scope.account, actor.id);
  const since = new Date(now.getTime() - windowMs);
  const refunded = await sumRefundsBy(tx, scope, { person: actor.id, currency, since });
  if (refunded + amountMinor >= dollarsIn(currency, stepUpDollars))
    assertRecentStepUp(authenticatedAt, now);
}
