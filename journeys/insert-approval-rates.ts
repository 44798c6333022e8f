import { uuidOf } from "@florin/server/core/ids.ts";
import { query } from "./database.ts";

/** A connection of the demo's merchant, with the approvals of its cards. */
const connections = [
  {
    id: "01900000-0000-7000-8000-0000000000a1",
    assignment: "01900000-0000-7000-8000-0000000000b1",
    processor: "adyen",
    account: "FieldwareECOM",
    approvals: { DE: [1_860, 140], FR: [905, 95] },
  },
  {
    id: "01900000-0000-7000-8000-0000000000a2",
    assignment: "01900000-0000-7000-8000-0000000000b2",
    processor: "stripe",
    account: "acct_1Fieldware",
    approvals: { DE: [1_020, 180], FR: [450, 50] },
  },
] as const;

/**
 * Inserts the approvals of two connections into the database, because a merchant cannot have connections in test mode.
 * The rows belong to an hour that is already counted. Repeated calls have no effect.
 */
export async function insertApprovalRates(account: string): Promise<void> {
  const merchant = uuidOf(account as `acct_${string}`);
  const hour = Math.floor(Date.now() / 3_600_000) - 72;
  await query(
    `insert into payment_hours_progress (account_id, livemode, measured_to) values ($1, false, $2)
         on conflict do nothing`,
    [merchant, hour + 1],
  );
  const [earlier] = await query(
    "select from approval_hours where account_id = $1 and assignment_id is not null limit 1",
    [merchant],
  );
  if (earlier) return;
  let place = 1_000;
  for (const { id, assignment, processor, account: name, approvals } of connections) {
    await query(
      `insert into processor_connections (id, processor, name, environment, state, endpoint_key, settings)
       values ($1, $2, $2, 'sandbox', 'retired', $3, jsonb_build_object('merchant_account', $4::text))`,
      [id, processor, id.replaceAll("-", ""), name],
    );
    await query(
      `insert into processor_assignments (account_id, id, connection_id, merchant_account, mcc, priority, state, ended_at)
       values ($1, $2, $3, $4, '5941', 1, 'ended', now())`,
      [merchant, assignment, id, name],
    );
    for (const [country, [approved, declined]] of Object.entries(approvals)) {
      for (const [code, payments] of [
        [null, approved],
        ["insufficient_funds", declined],
      ]) {
        place += 1;
        await query(
          `insert into approval_hours (account_id, livemode, hour, place, assignment_id, network, country, decline_code,
                                       payments)
           values ($1, false, $2, $3, $4, 'visa', $5, $6, $7)`,
          [merchant, hour, place, assignment, country, code, payments],
        );
      }
    }
    await query(
      `insert into settlement_costs (account_id, livemode, day, place, assignment_id, network, country, currency,
                                     payments, amount, fee)
       values ($1, false, current_date - 2, $2, $3, 'visa', 'DE', 'eur', 900, 4500000, $4)`,
      [merchant, place, assignment, processor === "adyen" ? 49_500 : 65_250],
    );
  }
}
