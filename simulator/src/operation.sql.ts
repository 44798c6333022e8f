import type { DeclineCode } from "@florin/contract/declines.ts";
import type {
  OperationInquiry,
  OperationKind,
  OperationRequest,
} from "@florin/server/acquiring/processor.ts";
import { idFromUuid, uuidOf } from "@florin/server/core/ids.ts";
import { fragment, type Sql, type Tx } from "@florin/server/platform/database/sql.ts";
import type { Key } from "./authorization.ts";
import type { Approval, OperationLine, Sequel } from "./operation.ts";

/** Locks an authorization, so that operations on it are decided one after the other. */
export async function lockApproval(tx: Tx, key: Key): Promise<Approval | null> {
  const [line] = await tx<{ found: boolean }>`
    select true as found
      from simulator.authorizations
     where merchant = ${key.merchant} and reference = ${key.reference}
       for update
  `;
  if (!line) return null;
  const [row] = await tx<{
    state: Approval["state"];
    approved: number;
    currency: string;
    captured: number;
    refunded: number;
    sequel: Sequel | null;
  }>`
    select a.state, a.approved, a.currency, s.sequel,
           case when a.captured then coalesce(o.captured, a.approved) else 0 end as captured,
           coalesce(o.refunded, 0)::bigint as refunded
      from simulator.authorizations a
      left join simulator.sequels s using (merchant, reference)
      left join lateral (
        select max(amount) filter (where kind = 'capture' and state = 'done') as captured,
               sum(amount) filter (where kind = 'refund' and state in ('done', 'pending')) as refunded
          from simulator.operations
         where merchant = a.merchant and authorization_reference = a.reference
      ) o on true
     where a.merchant = ${key.merchant} and a.reference = ${key.reference}
  `;
  return (
    (row && {
      state: row.state,
      approvedMinor: row.approved,
      currency: row.currency,
      capturedMinor: row.captured,
      refundedMinor: row.refunded,
      sequel: row.sequel,
    }) ||
    null
  );
}

export async function insertOperationLine(
  tx: Tx,
  request: OperationRequest,
  line: OperationLine,
  now: Date,
): Promise<void> {
  await tx`
    insert into simulator.operations (
      merchant, reference, authorization_reference, kind, amount, currency, state, refusal, becomes, tell_at, done_at
    ) values (
      ${uuidOf(request.account)}, ${uuidOf(request.reference)}, ${uuidOf(request.charge)}, ${request.kind},
      ${request.price.amountMinor}, ${request.price.currency}, ${line.state}, ${line.refusal}, ${line.becomes},
      ${line.tellAt}, ${line.state === "done" ? now : null}
    )
  `;
}

/** Applies an operation to the authorization. A capture takes the held amount and a void releases it. */
export async function applyToApproval(
  tx: Tx,
  key: Key,
  kind: OperationKind,
  now: Date,
): Promise<void> {
  if (kind === "refund") return;
  const change =
    kind === "capture"
      ? fragment`captured = true, captured_at = ${now}`
      : fragment`state = 'reversed'`;
  await tx`
    update simulator.authorizations
       set ${change}
     where merchant = ${key.merchant} and reference = ${key.reference}
  `;
}

export async function readOperationLine(
  read: Sql,
  { account, reference }: OperationInquiry,
): Promise<OperationLine | null> {
  const [row] = await read<LineRow>`
    select state, refusal, becomes, tell_at
      from simulator.operations
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)}
  `;
  return row ? toLine(row) : null;
}

export async function insertSequel(tx: Tx, key: Key, sequel: Sequel): Promise<void> {
  await tx`
    insert into simulator.sequels (merchant, reference, sequel)
    values (${key.merchant}, ${key.reference}, ${sequel})
        on conflict do nothing
  `;
}

/** Claims operations with a due notice, leased until `until`. A notice that is not confirmed is sent again. */
export async function claimOperationNews(
  tx: Tx,
  now: Date,
  until: Date,
): Promise<(OperationInquiry & { line: OperationLine })[]> {
  const rows = await tx<LineRow & { merchant: string; reference: string }>`
    update simulator.operations
       set state = coalesce(becomes, state), becomes = null, tell_at = ${until},
           done_at = case when becomes = 'done' then ${now}::timestamptz else done_at end,
           returned_at = case when becomes = 'refused' and state = 'done' then ${now}::timestamptz else returned_at end
     where tell_at <= ${now}
    returning merchant, reference, state, refusal, becomes, tell_at
  `;
  return rows.map((row) => ({
    account: idFromUuid("acct", row.merchant),
    reference: idFromUuid("op", row.reference),
    line: toLine(row),
  }));
}

export async function markOperationTold(
  tx: Tx,
  { account, reference }: OperationInquiry,
): Promise<void> {
  await tx`
    update simulator.operations
       set tell_at = null
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and becomes is null
  `;
}

/** Fails a completed refund, as when the cardholder's bank returns it. */
export async function failRefundLine(
  tx: Tx,
  { account, reference }: OperationInquiry,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update simulator.operations
       set state = 'refused', becomes = null, refusal = 'invalid_account', tell_at = ${now},
           returned_at = case when state = 'done' then ${now}::timestamptz end
     where merchant = ${uuidOf(account)} and reference = ${uuidOf(reference)} and kind = 'refund'
       and state in ('done', 'pending')
    returning reference
  `;
  return rows.length === 1;
}

type LineRow = {
  state: OperationLine["state"];
  refusal: DeclineCode | null;
  becomes: OperationLine["becomes"];
  tell_at: Date | null;
};

function toLine(row: LineRow): OperationLine {
  return { state: row.state, refusal: row.refusal, becomes: row.becomes, tellAt: row.tell_at };
}
