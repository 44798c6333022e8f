import { type Fragment, fragment, type Tx } from "../database/sql.ts";

const tables: Readonly<Record<"charges" | "operations", Fragment>> = {
  charges: fragment`charges`,
  operations: fragment`operations`,
};

/**
 * Brings up to `limit` inquiries forward that would be due after `after`, the next first, and spreads them evenly from
 * now on; answers how many. One ahead of its time is none of those that there are before a person has to look.
 */
export async function bringInquiriesForward(
  tx: Tx,
  table: keyof typeof tables,
  when: { readonly now: Date; readonly after: Date; readonly overSeconds: number },
  limit: number,
): Promise<number> {
  const rows = await tx`
    with waiting as materialized (
      select account_id as its_account, livemode as its_livemode, id as its_id,
             row_number() over (order by due_at) - 1 as place
        from ${tables[table]}
       where status = 'processing' and pending_reason = 'outcome_unknown' and due_at > ${when.after}
       order by due_at
       limit ${limit}
    )
    update ${tables[table]} one
       set due_at = ${when.now}::timestamptz + make_interval(secs => ${when.overSeconds} * place / ${limit}),
           inquiries = greatest(inquiries - 1, 0)
      from waiting
     where one.account_id = its_account and one.livemode = its_livemode and one.id = its_id
       and one.status = 'processing' and one.pending_reason = 'outcome_unknown' and one.due_at > ${when.after}
    returning one.id
  `;
  return rows.length;
}
