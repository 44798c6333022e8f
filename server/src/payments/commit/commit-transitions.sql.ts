import assert from "node:assert/strict";
import { idFromUuid, uuidOf } from "../../core/ids.ts";
import { areReturned } from "../../platform/database/are-returned.ts";
import {
  type ArrayParameter,
  bigints,
  booleans,
  integers,
  jsons,
  smallints,
  texts,
  timestamps,
  uuids,
} from "../../platform/database/array-parameter.ts";
import { batchStatements } from "../../platform/database/batch-statement.ts";
import { Fragment, fragment, type Tx } from "../../platform/database/sql.ts";
import type { NewEvent } from "../../webhooks/events/event.ts";
import { leaseParameters, outbox } from "../../webhooks/events/outbox.sql.ts";
import type { DeliveryLease, QueuedDelivery } from "../../webhooks/events/queued-delivery.ts";
import { type ChangeKind, chargeAmounts, specOf } from "./changes.ts";
import {
  assigned,
  type Columns,
  constant,
  filledColumns,
  named,
  parametersOf,
  selected,
} from "./columns.ts";
import type { Transition } from "./transition.ts";

/*
 * The statement that commits transitions. It consists of the change, which is a compare-and-set on the object's
 * version, and the parts that the transitions need. Each part reads the rows that the change returned (`changed`)
 * instead of the input rows. A transition that loses to a concurrent writer therefore writes nothing.
 */

/** The result of committing a transition. */
export type Committed = {
  /** False if the object has changed since it was read, so that nothing was written. */
  readonly recorded: boolean;
  /** The deliveries that were inserted for the transition's events. */
  readonly deliveries: readonly QueuedDelivery[];
};

/** Commits one transition. Returns false, without writing, if the object has changed since it was read. */
export async function commitTransition(tx: Tx, transition: Transition): Promise<boolean> {
  const [committed] = await commitTransitions(tx, [transition], null);
  return (committed as Committed).recorded;
}

/**
 * Commits a batch of transitions of one kind. `lease` is the lease of the inserted deliveries (see `outbox`). Returns
 * the result of each transition, in order.
 */
export async function commitTransitions(
  tx: Tx,
  transitions: readonly Transition[],
  lease: DeliveryLease | null,
): Promise<Committed[]> {
  const batch = firstOfEachObject(transitions);
  const kind = (batch[0] as Transition).change.kind;
  assert(batch.every(({ change }) => change.kind === kind));
  const { columns, sparse = [] } = specOf(kind);
  const rowOf = ({ change }: Transition): Readonly<Record<string, unknown>> => change.row;
  const filled = filledColumns(columns, sparse, batch, (one, name) => rowOf(one)[name]);
  const written = parts.flatMap((part) => part({ batch, kind, lease }) ?? []);
  const rows = await runBatch<WrittenRow>(tx, {
    name: kind,
    columns: [
      {
        account_id: uuids(batch, ({ scope }) => scope.account),
        livemode: booleans(batch, ({ scope }) => scope.livemode),
        id: uuids(batch, ({ change }) => change.id),
        version: integers(batch, ({ change }) => change.version),
      },
      ...written.map(({ columns }) => columns),
      parametersOf(filled, batch, rowOf),
    ],
    values: written.flatMap(({ values = [] }) => values),
    build: (input) => fragment`
      with ${changed(kind, filled, input, joined(written.map(({ reads = nothing }) => reads)))}
      ${joined(written.map(({ statement }) => fragment`, ${statement()}`))}
      select 'change' as part, id, null::uuid as event_id, null::uuid as endpoint_id, false as leased
        from changed
      ${joined(written.map(({ result = nothing }) => result))}
    `,
  });
  return resultsOf(transitions, batch, rows, lease);
}

const runBatch = batchStatements();

/**
 * Keeps the first transition of each object. A batch can contain two transitions of an object, for example if a
 * response and a notification arrive for the same charge. The others are reported as not recorded. Without this filter
 * the statement would apply only one of them and not report which.
 */
function firstOfEachObject(transitions: readonly Transition[]): readonly Transition[] {
  if (transitions.length === 1) return transitions;
  const taken = new Set<string>();
  return transitions.filter(({ change }) => {
    if (taken.has(change.id)) return false;
    taken.add(change.id);
    return true;
  });
}

/**
 * Returns the query `changed`, which executes the change and returns the input rows whose compare-and-set succeeded.
 */
function changed(kind: ChangeKind, filled: Columns, input: Fragment, reads: Fragment): Fragment {
  const spec = specOf(kind);
  const { table, writes, columns, kept, condition = nothing, alsoSets = nothing } = spec;
  if (writes === "update") {
    return fragment`changed as (
      update ${table} as t
         set version = i.version, ${assigned(columns, "i.", filled, kept)}${alsoSets}
        from ${input} as i
       where t.account_id = i.account_id and t.livemode = i.livemode and t.id = i.id
         and t.version = i.version - 1
         ${condition}
      returning ${reads} i.*
    )`;
  }
  return fragment`input as materialized ${input},
    inserted as (
      insert into ${table} (account_id, livemode, id, version, ${named(filled)})
      select account_id, livemode, id, version, ${selected(filled, "")}
        from input
        ${spec.isSkippedIfExists ? fragment`on conflict do nothing` : nothing}
      returning account_id, livemode, id
    ),
    changed as (
      select i.*
        from input i
        join inserted t on t.account_id = i.account_id and t.livemode = i.livemode and t.id = i.id
    )`;
}

type Batch = {
  readonly batch: readonly Transition[];
  readonly kind: ChangeKind;
  readonly lease: DeliveryLease | null;
};

/** One part of the statement. */
type Written = {
  /** The columns that the part adds to the input. */
  readonly columns: Readonly<Record<string, ArrayParameter>>;
  /** The columns of the changed object that the part reads, each followed by a comma. */
  readonly reads?: Fragment;
  /** Returns the part's query. Its text depends only on the kind of transition and the names of the columns. */
  readonly statement: () => Fragment;
  /** The parameters of the query. */
  readonly values?: readonly unknown[];
  /** The query for the rows that the part adds to the result. */
  readonly result?: Fragment;
};

/** The parts of the statement other than the change. Each returns null if no transition of the batch needs it. */
const parts: readonly ((batch: Batch) => Written | null)[] = [
  charges,
  entries,
  events,
  sessions,
  cards,
  idempotencyKeys,
  responses,
  lateCharges,
];

/** Updates the charges of changed operations and disputes, with a compare-and-set on the charge's version. */
function charges({ batch, kind }: Batch): Written | null {
  if (!batch.some(({ charge }) => charge)) return null;
  return {
    columns: {
      // The columns of new operations and disputes already include `charge_id`.
      ...(!("charge_id" in specOf(kind).columns) && {
        charge_id: uuids(batch, ({ charge }) => charge?.id),
      }),
      charge_version: integers(batch, ({ charge }) => charge?.version),
      ...parametersOf(chargeAmounts, batch, ({ charge }) => charge?.row, "charge_"),
    },
    statement: () => fragment`charged as (
      update charges c
         set version = x.charge_version, ${assigned(chargeAmounts, "x.charge_")}
        from changed x
       where c.account_id = x.account_id and c.livemode = x.livemode and c.id = x.charge_id
         and c.version = x.charge_version - 1
      returning x.id
    )`,
    result: fragment`
     union all
    select 'charge', id, null, null, false
      from charged`,
  };
}

/** Inserts the ledger entries. The primary key rejects a second entry for the same business event. */
function entries({ batch }: Batch): Written | null {
  const columns: Record<string, ArrayParameter> = {};
  const lines: string[] = [];
  const maxEntries = maxCount(batch, ({ entries }) => entries?.length);
  for (let e = 0; e < maxEntries; e++) {
    columns[`entry_${e}`] = uuids(batch, ({ entries }) => entries?.[e]?.id);
    columns[`currency_${e}`] = texts(batch, ({ entries }) => entries?.[e]?.currency);
    columns[`source_${e}`] = uuids(batch, ({ entries }) => entries?.[e]?.source);
    const maxTransfers = maxCount(batch, ({ entries }) => entries?.[e]?.transfers.length);
    for (let l = 0; l < maxTransfers; l++) {
      const transfer = ({ entries }: Transition) => entries?.[e]?.transfers[l];
      columns[`kind_${e}_${l}`] = texts(batch, (one) => transfer(one)?.kind);
      columns[`debit_${e}_${l}`] = texts(batch, (one) => transfer(one)?.debit);
      columns[`credit_${e}_${l}`] = texts(batch, (one) => transfer(one)?.credit);
      columns[`amount_${e}_${l}`] = bigints(batch, (one) => transfer(one)?.amountMinor);
      lines.push(
        `(x.entry_${e}, x.currency_${e}, x.source_${e}, ${l + 1}, ` +
          `x.kind_${e}_${l}, x.debit_${e}_${l}, x.credit_${e}_${l}, x.amount_${e}_${l})`,
      );
    }
  }
  if (lines.length === 0) return null;
  return {
    columns,
    statement: () => fragment`posted as (
      insert into ledger_transfers (
        account_id, livemode, entry_id, line, kind, debit, credit, amount, currency, source_id
      )
      select x.account_id, x.livemode, n.entry_id, n.line, n.kind, n.debit::ledger_account,
             n.credit::ledger_account, n.amount, n.currency, n.source_id
        from changed x
       cross join lateral (values
         ${constant(lines.join(", "))}
       ) as n (entry_id, currency, source_id, line, kind, debit, credit, amount)
       where n.amount is not null
    )`,
  };
}

/** Inserts the events and their deliveries. */
function events({ batch, lease }: Batch): Written | null {
  const maxEvents = maxCount(batch, ({ events }) => events?.length);
  if (maxEvents === 0) return null;
  const columns: Record<string, ArrayParameter> = {};
  for (let n = 0; n < maxEvents; n++) {
    columns[`event_${n}`] = uuids(batch, ({ events }) => events?.[n]?.id);
    columns[`event_type_${n}`] = texts(batch, ({ events }) => events?.[n]?.type);
    columns[`event_object_${n}`] = uuids(batch, ({ events }) => events?.[n]?.objectId);
    columns[`event_body_${n}`] = texts(batch, ({ events }) => events?.[n]?.body);
  }
  const happened = () => {
    const rows = Array.from(
      { length: maxEvents },
      (_, n) => `(x.event_${n}, x.event_type_${n}, x.event_object_${n}, x.event_body_${n})`,
    );
    return fragment`
      select x.account_id, x.livemode, e.id, e.type, e.object_id, e.body
        from changed x
       cross join lateral (values ${constant(rows.join(", "))}) as e (id, type, object_id, body)
       where e.id is not null`;
  };
  return {
    columns,
    statement: () => outbox(happened(), lease),
    values: leaseParameters(lease),
    result: fragment`
     union all
    select 'delivery', id, event_id, endpoint_id, leased
      from queued`,
  };
}

/** Updates the sessions of the charges or card verifications. Skips a session whose current attempt is another one. */
function sessions({ batch, kind }: Batch): Written | null {
  if (!batch.some(({ session }) => session)) return null;
  const { ofSession } = specOf(kind);
  assert(ofSession, `A ${kind} changes a session, but is not an attempt in a session`);
  const savesCards = batch.some(({ session }) => session?.paymentMethodId);
  return {
    columns: {
      session_id: uuids(batch, ({ session }) => session?.id),
      session_status: texts(batch, ({ session }) => session?.status),
      session_payment_status: texts(batch, ({ session }) => session?.paymentStatus),
      session_error: jsons(batch, ({ session }) => session?.lastPaymentError),
      ...(savesCards && { session_card: uuids(batch, ({ session }) => session?.paymentMethodId) }),
    },
    statement: () => fragment`sessions as (
      update checkout_sessions s
         set status = x.session_status, payment_status = x.session_payment_status,
             last_payment_error = x.session_error, version = s.version + 1
             ${savesCards ? fragment`, payment_method_id = x.session_card` : nothing}
        from changed x
       where s.account_id = x.account_id and s.livemode = x.livemode and s.id = x.session_id
         and ${ofSession}
    )`,
  };
}

/**
 * Updates the payment methods. Saves the cards of approved payments and verifications whose cardholders have consented,
 * and stores what the acquirer reported about the cards. Locks the customer row of a card that is saved. Without the
 * lock, a concurrent deletion of the customer would erase only the cards that were already saved, and would miss this
 * card.
 */
function cards({ batch }: Batch): Written | null {
  if (!batch.some(({ card }) => card)) return null;
  const areVerified = batch.some(({ card }) => card?.verificationId);
  const areIdentified = batch.some(
    ({ card }) => card?.newDetails?.brand || card?.newDetails?.last4,
  );
  return {
    columns: {
      card_id: uuids(batch, ({ card }) => card?.paymentMethodId),
      saved_for: uuids(batch, ({ card }) => card?.customerId),
      card_approved: booleans(batch, ({ card }) => card?.approved ?? false),
      network_transaction_id: texts(batch, ({ card }) => card?.networkTransactionId),
      new_funding: texts(batch, ({ card }) => card?.newDetails?.funding),
      new_country: texts(batch, ({ card }) => card?.newDetails?.country),
      new_exp_month: smallints(batch, ({ card }) => card?.newDetails?.expiry?.month),
      new_exp_year: smallints(batch, ({ card }) => card?.newDetails?.expiry?.year),
      update_reason: texts(batch, ({ card }) => card?.newDetails?.updateReason),
      card_decided_at: timestamps(batch, ({ card }) => card?.decidedAt),
      has_new_card_details: booleans(batch, ({ card }) => card?.newDetails != null),
      ...(areVerified && {
        saved_by_verification: uuids(batch, ({ card }) => card?.verificationId),
      }),
      ...(areIdentified && {
        new_brand: texts(batch, ({ card }) => card?.newDetails?.brand),
        new_last4: texts(batch, ({ card }) => card?.newDetails?.last4),
      }),
    },
    statement: () => fragment`saved as (
      update payment_methods p
         set customer_id = case
               when x.card_approved and p.consented_at is not null and p.customer_id is null and exists (
                      select from customers u
                       where u.account_id = x.account_id and u.livemode = x.livemode and u.id = x.saved_for
                         and u.deleted_at is null
                         for share
                    )
               then x.saved_for
               else p.customer_id end,
             network_transaction_id = case
               when p.consented_at is not null then coalesce(p.network_transaction_id, x.network_transaction_id)
               else p.network_transaction_id end,
             funding = coalesce(x.new_funding, p.funding),
             country = coalesce(x.new_country, p.country),
             exp_month = coalesce(x.new_exp_month, p.exp_month),
             exp_year = coalesce(x.new_exp_year, p.exp_year),
             update_reason = case
               when x.update_reason is not null then x.update_reason
               when x.card_approved or x.new_exp_year is not null then null
               else p.update_reason end,
             update_reported_at = case
               when x.update_reason is not null and p.update_reason = x.update_reason then p.update_reported_at
               when x.update_reason is not null then x.card_decided_at
               when x.card_approved or x.new_exp_year is not null then null
               else p.update_reported_at end
             ${areVerified ? fragment`, verification_id = x.saved_by_verification` : nothing}
             ${areIdentified ? identified : nothing}
        from changed x
       where p.account_id = x.account_id and p.livemode = x.livemode and p.id = x.card_id
         and p.detached_at is null
         and (x.has_new_card_details
              or (x.card_approved
                  and (p.update_reason is not null
                       or (p.consented_at is not null
                           and (p.customer_id is null
                                or (p.network_transaction_id is null and x.network_transaction_id is not null))))))
    )`,
  };
}

/**
 * The SQL assignments that store the acquirer's description of the card of a wallet's token. A card with a number keeps
 * its own description.
 */
const identified = fragment`
             , brand = case when p.fingerprint is null then coalesce(x.new_brand, p.brand) else p.brand end
             , last4 = case when p.fingerprint is null then coalesce(x.new_last4, p.last4) else p.last4 end`;

/**
 * Links each new operation to the idempotency key of its request, so that the job that finishes the operation can store
 * the response.
 */
function idempotencyKeys({ kind }: Batch): Written | null {
  if (kind !== "newOperation") return null;
  return {
    columns: {},
    statement: () => fragment`bound as (
      update idempotency_keys k
         set operation_id = x.id
        from changed x
       where k.account_id = x.account_id and k.livemode = x.livemode and k.key = x.idempotency_key
    )`,
  };
}

/** Stores the responses to the requests that created the objects, unless a response is already stored. */
function responses({ batch, kind }: Batch): Written | null {
  if (!batch.some(({ response }) => response)) return null;
  const { namedBy } = specOf(kind);
  assert(namedBy, `A ${kind} stores a response, but has no idempotency key`);
  // A null body means that the response is the object in the first event.
  const hasEvents = batch.some(({ events = [] }) => events.length > 0);
  return {
    columns: {
      response_status: smallints(batch, ({ response }) => response?.status),
      response_body: texts(batch, ({ response }) => (response?.isInEvent ? null : response?.body)),
    },
    reads: fragment`t.idempotency_key,`,
    statement: () => fragment`responded as (
      update idempotency_keys k
         set status_code = x.response_status, response = x.response_body
             ${hasEvents ? fragment`, event_id = case when x.response_body is null then x.event_0 end` : nothing}
        from changed x
       where k.account_id = x.account_id and k.livemode = x.livemode and k.key = x.idempotency_key
         and k.${namedBy} = x.id and k.status_code is null and x.response_status is not null
    )`,
  };
}

/** Queues each charge that the search index may have missed for the job that adds it. */
function lateCharges({ batch }: Batch): Written | null {
  if (!batch.some(({ isLate }) => isLate)) return null;
  return {
    columns: { is_late: booleans(batch, ({ isLate = false }) => isLate) },
    statement: () => fragment`late as (
      insert into charge_search_late (account_id, livemode, charge_id)
      select x.account_id, x.livemode, x.id
        from changed x
       where x.is_late
          on conflict do nothing
    )`,
  };
}

/** A row of the result: a committed change, an updated charge, or an inserted delivery. */
type WrittenRow = {
  part: "change" | "charge" | "delivery";
  id: string;
  event_id: string | null;
  endpoint_id: string | null;
  leased: boolean;
};

function resultsOf(
  transitions: readonly Transition[],
  batch: readonly Transition[],
  rows: readonly WrittenRow[],
  lease: DeliveryLease | null,
): Committed[] {
  const ids: Record<"change" | "charge", string[]> = { change: [], charge: [] };
  const queued = new Map<string | null, WrittenRow[]>();
  for (const row of rows) {
    if (row.part === "delivery") {
      const ofEvent = queued.get(row.event_id);
      if (ofEvent) ofEvent.push(row);
      else queued.set(row.event_id, [row]);
    } else ids[row.part].push(row.id);
  }
  const idsOfBatch = batch.map(({ change }) => uuidOf(change.id));
  const changed = areReturned(idsOfBatch, ids.change);
  assertChargesWritten(batch, changed, ids.charge);
  // The batch is a subset of the transitions, in the same order.
  let place = 0;
  return transitions.map((transition) => {
    const recorded = transition === batch[place] && changed[place++] === true;
    if (queued.size === 0) return { recorded, deliveries: [] };
    const { events = [] } = transition;
    const deliveries = events.flatMap((event) =>
      (queued.get(uuidOf(event.id)) ?? []).map((row) => toQueued(row, event, lease)),
    );
    return { recorded, deliveries };
  });
}

/**
 * Throws if the charge of a recorded transition was not updated. That would be a bug, because the caller holds the
 * charge's lock. `written` contains the IDs of the transitions whose charges were updated.
 */
function assertChargesWritten(
  batch: readonly Transition[],
  changed: readonly boolean[],
  written: readonly string[],
): void {
  const withCharge = batch.filter(({ charge }, place) => charge && changed[place]);
  const updated = areReturned(
    withCharge.map(({ change }) => uuidOf(change.id)),
    written,
  );
  for (const [place, { charge }] of withCharge.entries())
    assert(updated[place], `${charge?.id} changed under its lock`);
}

function toQueued(row: WrittenRow, event: NewEvent, lease: DeliveryLease | null): QueuedDelivery {
  return {
    id: idFromUuid("whd", row.id),
    endpointId: idFromUuid("we", row.endpoint_id as string),
    event,
    leasedUntil: lease && row.leased ? lease.until : null,
  };
}

/** Returns the largest item count of the batch's transitions. */
function maxCount(
  batch: readonly Transition[],
  count: (transition: Transition) => number | undefined,
): number {
  let max = 0;
  for (const transition of batch) max = Math.max(max, count(transition) ?? 0);
  return max;
}

const nothing = fragment``;

function joined(fragments: readonly Fragment[]): Fragment {
  return new Fragment(["", ...fragments.map(() => "")], fragments);
}
