import type { Database } from "../../database/database.ts";
import { uuidOf } from "../../primitives/ids.ts";
import type { PayoutAnswer, PayoutRequest } from "../processor.ts";

/** The simulated bank: a transfer is entered once, under its reference, and arrives after a while. */
export async function payOut(
  database: Database,
  { account, reference, price }: PayoutRequest,
  now: Date,
  takesMs: number,
): Promise<PayoutAnswer> {
  const [row] = await database.transaction(
    (tx) => tx<{ has_failed: boolean; arrives_at: Date }>`
      insert into simulator.payouts as p (merchant, reference, amount, currency, arrives_at)
      values (${uuidOf(account)}, ${uuidOf(reference)}, ${price.amountMinor}, ${price.currency},
              ${new Date(now.getTime() + takesMs)})
          on conflict (merchant, reference) do update set amount = p.amount
      returning has_failed, arrives_at
    `,
  );
  const { has_failed, arrives_at } = row as { has_failed: boolean; arrives_at: Date };
  if (has_failed) return { kind: "failed" };
  return arrives_at <= now ? { kind: "paid" } : { kind: "in_transit", arrivesAt: arrives_at };
}

export async function failPayout(
  database: Database,
  { account, reference }: Pick<PayoutRequest, "account" | "reference">,
): Promise<boolean> {
  const rows = await database.transaction(
    (tx) => tx`
      update simulator.payouts
         set has_failed = true
       where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)}
      returning reference
    `,
  );
  return rows.length === 1;
}
