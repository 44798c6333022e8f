import type { PayoutRequest, PayoutResponse } from "@florin/server/acquiring/processor.ts";
import { uuidOf } from "@florin/server/core/ids.ts";
import type { Database } from "@florin/server/platform/database/database.ts";

/**
 * Creates a transfer at the simulated bank, or reads the transfer with the same reference. Returns its state. A call
 * after `arrives_at` returns `paid`, unless the transfer has failed. From the first such call on, the transfer cannot
 * fail.
 */
export async function payOut(
  database: Database,
  { account, reference, price }: PayoutRequest,
  now: Date,
  takesMs: number,
): Promise<PayoutResponse> {
  const [row] = await database.autocommit(
    (tx) => tx<{ has_failed: boolean; has_arrived: boolean; arrives_at: Date }>`
      insert into simulator.payouts as p (merchant, reference, amount, currency, arrives_at)
      values (${uuidOf(account)}, ${uuidOf(reference)}, ${price.amountMinor}, ${price.currency},
              ${new Date(now.getTime() + takesMs)})
          on conflict (merchant, reference) do update
         set has_arrived = p.has_arrived or (not p.has_failed and p.arrives_at <= ${now})
      returning has_failed, has_arrived, arrives_at
    `,
  );
  const transfer = row as { has_failed: boolean; has_arrived: boolean; arrives_at: Date };
  if (transfer.has_failed) return { kind: "failed" };
  if (transfer.has_arrived) return { kind: "paid" };
  return { kind: "in_transit", arrivesAt: transfer.arrives_at };
}

/**
 * Fails a transfer, as when the recipient's account is closed. Returns false if `payOut` has already returned `paid`.
 */
export async function failPayout(
  database: Database,
  { account, reference }: Pick<PayoutRequest, "account" | "reference">,
): Promise<boolean> {
  const rows = await database.autocommit(
    (tx) => tx`
      update simulator.payouts
         set has_failed = true
       where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and not has_arrived
      returning reference
    `,
  );
  return rows.length === 1;
}
