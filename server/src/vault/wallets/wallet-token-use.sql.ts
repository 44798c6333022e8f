import { hash } from "node:crypto";
import {
  type CheckoutSessionId,
  idFromUuid,
  type PaymentMethodId,
  uuidOf,
} from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import type { Sql, Tx } from "../../platform/database/sql.ts";

/** The use of a token by a checkout session, which created a payment method from it. */
export type TokenUse = {
  readonly session: CheckoutSessionId;
  readonly paymentMethodId: PaymentMethodId;
};

/** The ID and the expiry of a decrypted token. */
export type UsedToken = { readonly tokenId: string; readonly expiresAt: Date };

/**
 * Records the use of a token. Returns the use that was recorded first, which is `use` if the token was not used before.
 * A concurrent insert of the same token is awaited, so exactly one use is recorded.
 */
export async function claimToken(
  tx: Tx,
  scope: Scope,
  { tokenId, expiresAt }: UsedToken,
  use: TokenUse,
): Promise<TokenUse> {
  const inserted = await tx`
    insert into wallet_token_uses (
      account_id, livemode, token_hash, checkout_session_id, payment_method_id, expires_at
    ) values (
      ${uuidOf(scope.account)}, ${scope.livemode}, ${hashOf(tokenId)}, ${uuidOf(use.session)},
      ${uuidOf(use.paymentMethodId)}, ${expiresAt}
    )
    on conflict (account_id, livemode, token_hash) do nothing
    returning token_hash
  `;
  if (inserted.length > 0) return use;
  const first = await findTokenUse(tx, scope, tokenId);
  // The row was deleted between the two statements, because the token has expired.
  if (!first) throw new Error("The wallet token expired while its use was recorded.");
  return first;
}

/** Returns the recorded use of a token, or null if the token was not used. */
export async function findTokenUse(
  read: Sql,
  scope: Scope,
  tokenId: UsedToken["tokenId"],
): Promise<TokenUse | null> {
  const [row] = await read<{ checkout_session_id: string; payment_method_id: string }>`
    select checkout_session_id, payment_method_id
      from wallet_token_uses
     where account_id = ${uuidOf(scope.account)} and livemode = ${scope.livemode} and token_hash = ${hashOf(tokenId)}
  `;
  return row
    ? {
        session: idFromUuid("cs", row.checkout_session_id),
        paymentMethodId: idFromUuid("pm", row.payment_method_id),
      }
    : null;
}

function hashOf(tokenId: string): Buffer {
  return hash("sha256", tokenId, "buffer");
}

/** The time for which a use is kept after the token expired. It covers differences between the servers' clocks. */
export const tokenUseLifeMs = 60 * 60_000;

/** Deletes the uses of tokens that expired before the given time. Returns the number deleted. */
export async function deleteOldTokenUses(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx`
    delete from wallet_token_uses
     where (account_id, livemode, token_hash) in (
             select account_id, livemode, token_hash
               from wallet_token_uses
              where expires_at < ${before}
              limit ${limit}
           )
    returning token_hash
  `;
  return rows.length;
}
