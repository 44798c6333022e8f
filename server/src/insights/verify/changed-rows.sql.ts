import { firstUuidAt } from "../../core/ids.ts";
import { constant } from "../../payments/commit/columns.ts";
import { Fragment, fragment, type Sql, statementOf } from "../../platform/database/sql.ts";

/*
 * Selects the rows that a verification with `since` examines. The rows are copied to temporary tables with the names of
 * the original tables. Postgres searches temporary tables first, so the checks read the copies.
 */

/**
 * The copied tables and their primary keys. Tables of the simulator are prefixed, because other tables have some of the
 * same names.
 */
const copied: Readonly<Record<string, string>> = {
  charges: "public.charges",
  operations: "public.operations",
  disputes: "public.disputes",
  payouts: "public.payouts",
  settlements: "public.settlements",
  authentications: "public.authentications",
  checkout_sessions: "public.checkout_sessions",
  card_verifications: "public.card_verifications",
  ledger_transfers: "public.ledger_transfers",
  events: "public.events",
  webhook_deliveries: "public.webhook_deliveries",
  idempotency_keys: "public.idempotency_keys",
  simulator_authorizations: "simulator.authorizations",
  simulator_operations: "simulator.operations",
  simulator_payouts: "simulator.payouts",
};

/** Creates the empty copies. They last as long as the connection, or until the transaction is rolled back. */
export async function createCopies(read: Sql): Promise<void> {
  for (const [name, original] of Object.entries(copied)) {
    await read`create temporary table ${constant(name)} (like ${constant(original)})`;
  }
  await read`create temporary table changed (account_id uuid, livemode boolean, id uuid, primary key (account_id, livemode, id))`;
}

/** Returns an SQL template tag whose statements read the copies. */
export function readCopies(read: Sql): Sql {
  return (strings, ...values) => {
    const statement =
      "text" in strings ? { ...strings, values } : statementOf(new Fragment(strings, values));
    const text = statement.text.replaceAll("simulator.", "pg_temp.simulator_");
    return read({ name: `${statement.name} copies`, text }, ...statement.values);
  };
}

/**
 * Copies every row that was created since `since`, and all rows of the objects to which one of these rows belongs. Also
 * copies objects whose work is due, and the rows of these objects.
 */
export async function copyChangedRows(
  read: Sql,
  { since, stuckAfterMs }: { readonly since: Date; readonly stuckAfterMs: number },
): Promise<void> {
  // Each step reads a few rows by an index. The copies have no statistics yet, so the planner would otherwise scan
  // whole tables.
  await read`select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
                    set_config('enable_nestloop', 'on', true)`;
  await copyNewRows(read, since, stuckAfterMs);
  await addChanged(read, since);
  await copyObjects(read);
  await copyRowsOfObjects(read);
  for (const name of Object.keys(copied)) await read`analyze ${constant(`pg_temp.${name}`)}`;
  await read`select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
                    set_config('enable_nestloop', 'off', true)`;
}

/** Every pair of merchant and mode. All primary keys begin with such a pair. */
const scopes = fragment`(
  select a.id as account_id, m.livemode from public.accounts a cross join (values (false), (true)) as m (livemode)) s`;

/**
 * Copies the rows that were created since `since` in the append-only tables whose rows refer to objects. Also copies
 * stuck deliveries.
 */
async function copyNewRows(read: Sql, since: Date, stuckAfterMs: number): Promise<void> {
  const first = firstUuidAt(since);
  await read`
    insert into pg_temp.webhook_deliveries
    select t.* from ${scopes}
     cross join lateral (
       select * from public.webhook_deliveries d
        where d.account_id = s.account_id and d.livemode = s.livemode and d.id >= ${first}) t
     union
    select d.*
      from public.webhook_deliveries d
      left join public.webhook_endpoints w
        on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id
     where d.status = 'pending'
       and greatest(d.next_attempt_at, w.backoff_until) < now() - make_interval(secs => ${stuckAfterMs / 1000})
  `;
  await read`
    insert into pg_temp.idempotency_keys
    select * from public.idempotency_keys where created_at >= ${since}
  `;
  await read`
    insert into pg_temp.events
    select t.* from ${scopes}
     cross join lateral (
       select * from public.events e
        where e.account_id = s.account_id and e.livemode = s.livemode and e.id >= ${first}) t
     union
    select e.*
      from (select account_id, livemode, event_id from pg_temp.webhook_deliveries
             union
            select account_id, livemode, event_id from pg_temp.idempotency_keys where event_id is not null) n
      join public.events e on e.account_id = n.account_id and e.livemode = n.livemode and e.id = n.event_id
  `;
  // A payment is posted under the charge's ID, which can be older than `since`. Such a posting is found through the
  // payment's event, whose ID is newer.
  await read`
    insert into pg_temp.ledger_transfers
    select t.* from ${scopes}
     cross join lateral (
       select * from public.ledger_transfers l
        where l.account_id = s.account_id and l.livemode = s.livemode and l.entry_id >= ${first}) t
  `;
  await read`
    insert into pg_temp.simulator_authorizations
    select t.* from public.accounts a
     cross join lateral (
       select * from simulator.authorizations x where x.merchant = a.id and x.reference >= ${first}) t
  `;
  await read`
    insert into pg_temp.simulator_operations
    select t.* from public.accounts a
     cross join lateral (
       select * from simulator.operations x where x.merchant = a.id and x.reference >= ${first}) t
  `;
  await read`
    insert into pg_temp.simulator_payouts
    select t.* from public.accounts a
     cross join lateral (
       select * from simulator.payouts x where x.merchant = a.id and x.reference >= ${first}) t
  `;
}

/**
 * Adds the IDs of three kinds of objects: those created since `since`, those to which the copied rows refer, and those
 * whose work is due.
 */
async function addChanged(read: Sql, since: Date): Promise<void> {
  const first = firstUuidAt(since);
  for (const table of [
    "charges",
    "operations",
    "disputes",
    "checkout_sessions",
    "card_verifications",
    "payouts",
    "settlements",
  ]) {
    await read`
      insert into pg_temp.changed
      select s.account_id, s.livemode, t.id from ${scopes}
       cross join lateral (
         select id from ${constant(`public.${table}`)} o
          where o.account_id = s.account_id and o.livemode = s.livemode and o.id >= ${first}) t
          on conflict do nothing`;
  }
  await read`
    insert into pg_temp.changed
    select account_id, livemode, object_id from pg_temp.events
     union
    select account_id, livemode, coalesce(charge_id, operation_id) from pg_temp.idempotency_keys
     where coalesce(charge_id, operation_id) is not null
     union
    select account_id, livemode, unnest(array[entry_id, source_id]) from pg_temp.ledger_transfers
     union
    select merchant, false, reference from pg_temp.simulator_authorizations
     union
    select merchant, false, unnest(array[reference, authorization_reference]) from pg_temp.simulator_operations
     union
    select merchant, false, reference from pg_temp.simulator_payouts
     union
    select account_id, livemode, id from public.charges where due_at is not null or pending_reason = 'manual_review'
     union
    select account_id, livemode, id from public.charges where status = 'authorized' and capture_before < now()
     union
    select account_id, livemode, id from public.operations where due_at is not null or pending_reason = 'manual_review'
     union
    select account_id, livemode, id from public.disputes where due_at < now()
     union
    select account_id, livemode, id from public.disputes where response_due_at < now()
     union
    select account_id, livemode, id from public.payouts where due_at < now()
     union
    select account_id, livemode, charge_id from public.authentications where due_at < now()
     union
    select account_id, livemode, id from public.card_verifications where due_at is not null
     union
    select account_id, livemode, id from public.checkout_sessions
     where status = 'open' and expires_at is not null and expires_at < now()
        on conflict do nothing
  `;
}

/**
 * Copies the changed objects. For an operation, dispute or session, also copies the charges and sessions that belong to
 * it.
 */
async function copyObjects(read: Sql): Promise<void> {
  await addNamed(read, "operations", "charge_id");
  await addNamed(read, "disputes", "charge_id");
  await addNamed(read, "checkout_sessions", "charge_id");
  await addNamed(read, "checkout_sessions", "verification_id");
  await addNamed(read, "card_verifications", "checkout_session_id");
  await addNamed(read, "charges", "checkout_session_id");
  await read`
    insert into pg_temp.changed
    select c.account_id, c.livemode, c.id
      from pg_temp.changed n
      join public.charges c on c.account_id = n.account_id and c.livemode = n.livemode and c.checkout_session_id = n.id
       and c.checkout_session_id is not null
        on conflict do nothing
  `;
  for (const table of [
    "charges",
    "checkout_sessions",
    "card_verifications",
    "payouts",
    "settlements",
  ]) {
    await read`
      insert into ${constant(`pg_temp.${table}`)}
      select t.*
        from pg_temp.changed n
        join ${constant(`public.${table}`)} t on t.account_id = n.account_id and t.livemode = n.livemode and t.id = n.id`;
  }
}

/** Adds the IDs to which the changed objects of a table refer in a column. */
async function addNamed(read: Sql, table: string, column: string): Promise<void> {
  const named = constant(`t.${column}`);
  await read`
    insert into pg_temp.changed
    select t.account_id, t.livemode, ${named}
      from pg_temp.changed n
      join ${constant(`public.${table}`)} t on t.account_id = n.account_id and t.livemode = n.livemode and t.id = n.id
     where ${named} is not null
        on conflict do nothing`;
}

/** Copies the rows of other tables that belong to the copied objects. */
async function copyRowsOfObjects(read: Sql): Promise<void> {
  for (const [table, column] of [
    ["operations", "charge_id"],
    ["disputes", "charge_id"],
    ["authentications", "charge_id"],
  ] as const) {
    await read`
      insert into ${constant(`pg_temp.${table}`)}
      select t.*
        from pg_temp.charges c
        join ${constant(`public.${table}`)} t on t.account_id = c.account_id and t.livemode = c.livemode
         and ${constant(`t.${column}`)} = c.id`;
  }
  await read`
    insert into pg_temp.authentications
    select t.*
      from pg_temp.card_verifications v
      join public.authentications t on t.account_id = v.account_id and t.livemode = v.livemode and t.charge_id = v.id
  `;
  await read`
    insert into pg_temp.idempotency_keys
    select k.*
      from (select account_id, livemode, id, idempotency_key as key from pg_temp.charges
             union all
            select account_id, livemode, id, idempotency_key from pg_temp.operations) o
      join public.idempotency_keys k on k.account_id = o.account_id and k.livemode = o.livemode and k.key = o.key
       and coalesce(k.charge_id, k.operation_id) = o.id
    except
    select * from pg_temp.idempotency_keys
  `;
  // The loss of a dispute and the arrival of a payout are separate ledger entries, which are found by their kind.
  await read`
    insert into pg_temp.ledger_transfers
    select t.*
      from (select account_id, livemode, unnest(array[id, failure_entry_id]) as entry_id from pg_temp.charges
             union
            select account_id, livemode, unnest(array[id, failure_entry_id]) from pg_temp.operations
             union
            select account_id, livemode, unnest(array[id, reversal_entry_id]) from pg_temp.disputes
             union
            select account_id, livemode, unnest(array[id, failure_entry_id]) from pg_temp.payouts
             union
            select account_id, livemode, unnest(array[id, fee_entry_id, conversion_entry_id]) from pg_temp.settlements
             union
            select o.account_id, o.livemode, l.entry_id
              from (select account_id, livemode, 'dispute_loss'::text as kind, array_agg(id) as ids
                      from pg_temp.disputes group by account_id, livemode
                     union all
                    select account_id, livemode, 'payout_arrival', array_agg(id)
                      from pg_temp.payouts group by account_id, livemode) o
              join public.ledger_transfers l on l.account_id = o.account_id and l.livemode = o.livemode
               and l.kind = o.kind and l.kind not in ('charge', 'fee') and l.source_id = any (o.ids)) e
      join public.ledger_transfers t on t.account_id = e.account_id and t.livemode = e.livemode and t.entry_id = e.entry_id
    except
    select * from pg_temp.ledger_transfers
  `;
  await read`
    insert into pg_temp.simulator_authorizations
    select t.* from pg_temp.charges c
      join simulator.authorizations t on not c.livemode and t.merchant = c.account_id and t.reference = c.id
    except
    select * from pg_temp.simulator_authorizations
  `;
  await read`
    insert into pg_temp.simulator_operations
    select t.* from pg_temp.operations o
      join simulator.operations t on not o.livemode and t.merchant = o.account_id and t.reference = o.id
    except
    select * from pg_temp.simulator_operations
  `;
  await read`
    insert into pg_temp.simulator_payouts
    select t.* from pg_temp.payouts p
      join simulator.payouts t on not p.livemode and t.merchant = p.account_id and t.reference = p.id
    except
    select * from pg_temp.simulator_payouts
  `;
}
