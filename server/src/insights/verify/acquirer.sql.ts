import { idFromUuid } from "../../core/ids.ts";
import { moneyText } from "../../core/money.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { describe, type Found, limitExamples } from "./check.ts";

const charge = (uuid: string): string => idFromUuid("ch", uuid);

/** Finds paid charges that the acquirer did not approve with the same reference, amount and currency, or not capture. */
export async function findPaymentsWithoutApproval(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    status: string;
    amount: number;
    currency: string;
    state: string | null;
    approved: number;
    approved_currency: string;
  }>`
    select count(*) over () as total, c.id, c.status, c.amount, c.currency, a.state, a.approved,
           a.currency as approved_currency
      from charges c
      left join simulator.authorizations a on a.merchant = c.account_id and a.reference = c.id
     where c.processor = 'simulator' and c.status in ('succeeded', 'authorized')
       -- A pending authorization whose resolution is due counts as resolved. The simulator writes the resolution at
       -- the next inquiry.
       and (a.state is null
            or not (a.state = 'approved'
                    or (a.state = 'pending' and a.pending_outcome = 'approved' and a.resolves_at <= now()))
            or a.approved <> c.amount or a.currency <> c.currency
            or (c.status = 'succeeded' and not a.captured))
       -- Excludes charges whose void the acquirer has executed, but whose outcome is not recorded yet.
       and not (a.state = 'reversed' and c.status = 'authorized'
                and exists (select from operations o
                             where o.account_id = c.account_id and o.livemode = c.livemode
                               and o.charge_id = c.id and o.kind = 'void' and o.status = 'processing'))
     ${limitExamples}
  `;
  return describe(rows, ({ id, status, amount, currency, state, approved, approved_currency }) => {
    if (state === null) return `${charge(id)} is ${status}, but unknown to the acquirer.`;
    if (state !== "approved") return `${charge(id)} is ${status}, but ${state} at the acquirer.`;
    if (approved === amount && approved_currency === currency) {
      return `${charge(id)} is ${status}, but not captured at the acquirer.`;
    }
    return `${charge(id)} is ${status} with ${moneyText(amount, currency)}, but the acquirer approved ${moneyText(approved, approved_currency)}.`;
  });
}

/**
 * Finds approvals at the acquirer whose charge is neither paid nor awaiting an inquiry. An approval for a failed charge
 * or an unknown reference takes the cardholder's money without a payment.
 */
export async function findOrphanApprovals(read: Sql): Promise<Found> {
  const rows = await read<{
    total: number;
    id: string;
    approved: number;
    currency: string;
    status: string | null;
  }>`
    select count(*) over () as total, a.reference as id, a.approved, a.currency, c.status
      from simulator.authorizations a
      left join charges c on c.account_id = a.merchant and not c.livemode and c.id = a.reference
     where (a.state = 'approved' or (a.state = 'pending' and a.pending_outcome = 'approved'))
       and coalesce(c.status not in ('succeeded', 'authorized', 'processing'), true)
     ${limitExamples}
  `;
  return describe(rows, ({ id, approved, currency, status }) =>
    status === null
      ? `The acquirer approved ${moneyText(approved, currency)} for ${charge(id)}, which does not exist.`
      : `The acquirer approved ${moneyText(approved, currency)} for ${charge(id)}, but the charge is ${status}.`,
  );
}

/** Finds references that occur more than once at the acquirer, for the same or another merchant. */
export async function findReferencesUsedTwice(read: Sql): Promise<Found> {
  const rows = await read<{ total: number; id: string; lines: number }>`
    select count(*) over () as total, reference as id, count(*) as lines
      from simulator.authorizations
     group by reference
    having count(*) > 1
     ${limitExamples}
  `;
  return describe(
    rows,
    ({ id, lines }) => `The acquirer has ${lines} authorizations with the reference ${charge(id)}.`,
  );
}
