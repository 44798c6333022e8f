import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Deleted, tableTerms } from "../../src/admin/retention/table-terms.ts";
import { type AccountId, newId, uuidOf } from "../../src/core/ids.ts";
import type { Tx } from "../../src/platform/database/sql.ts";
import { weekOf } from "../../src/platform/partitions/week.ts";
import { startShop } from "../shop.ts";
import { hour, minute } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());
const { database } = shop.app;

test("every table has a term, and every term a table", async () => {
  const tables = await database.read<{ name: string }>`
    select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'simulator') and c.relkind in ('r', 'p') and not c.relispartition
  `;
  assert.deepEqual(
    Object.keys(tableTerms).sort(),
    tables.map(({ name }) => name).sort(),
    "Add the table to server/src/admin/retention/table-terms.ts, and say how it stops growing.",
  );
});

test("a server creates the partitions of the week before it accepts requests", async () => {
  await shop.post("/charges", { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" });
  await shop.app.writeRequestLog();
  const places = await database.read<{ name: string }>`
    select tableoid::regclass::text as name from events
     union
    select tableoid::regclass::text from request_log`;
  const week = weekOf(shop.clock.now()).name;
  assert.deepEqual(places.map(({ name }) => name).sort(), [
    `events_${week}`,
    `request_log_${week}`,
  ]);
});

const person = crypto.randomUUID();
const account = uuidOf(shop.merchant.account as AccountId);

/**
 * Inserts a row whose age is counted from `since`, for each table whose rows are deleted at a certain age. `n`
 * distinguishes the rows of a table.
 */
const insertOne: Readonly<Record<string, (tx: Tx, since: Date, n: number) => Promise<unknown>>> = {
  idempotency_keys: (tx, since, n) => tx`
    insert into idempotency_keys (account_id, livemode, key, fingerprint, created_at, status_code, response)
    values (${account}, false, ${`key ${n}`}, '\\x00', ${since}, 200, '{}')`,
  request_log: (tx, since) => tx`
    insert into request_log (account_id, livemode, id, method, path, endpoint, status, duration_ms, actor_kind,
                             actor_id, actor_name, ip, object_ids, left_out)
    values (${account}, false, ${uuidOf(newId("req", since))}, 'GET', '/', '/', 200, 1, 'api_key', '', '', '', '{}', 0)`,
  events: (tx, since) => insertEvent(tx, since),
  webhook_deliveries: async (tx, since) => {
    const event = await insertEvent(tx, since);
    await tx`
      insert into webhook_deliveries (account_id, livemode, id, event_id, endpoint_id, status, log)
      values (${account}, false, delivery_id(${event}, ${event}), ${event}, ${event}, 'succeeded', '[{"status_code": 200}]')`;
  },
  acquirer_notifications: (tx, since, n) => tx`
    insert into acquirer_notifications (id, connection_id, deduplication_key, event_code, item, state, received_at)
    values (${uuidOf(newId("ntf", since))}, ${account}, ${`event ${n}`}, 'AUTHORISATION', '{}', 'applied', ${since})`,
  acquirer_redirects: (tx, since) => tx`
    insert into acquirer_redirects (account_id, livemode, charge_id, url, method, fields)
    values (${account}, true, ${uuidOf(newId("ch", since))}, 'https://example.com', 'GET', '{}')`,
  configuration_changes: (tx, since, n) => tx`
    insert into configuration_changes (transaction_id, account_id, changed_at)
    values (${String(n + 1)}::xid8, ${account}, ${since})`,
  velocity_counts: (tx, since, n) => tx`
    insert into velocity_counts (account_id, livemode, subject, hour, attempts, declines, mismatches)
    values (${account}, false, ${`c${n}`}, ${Math.floor(since.getTime() / hour)}, 1, 0, 0)`,
  payment_hours: (tx, since) => tx`
    insert into payment_hours (account_id, livemode, hour, currency, payments, succeeded, failed, captured, declines, latencies)
    values (${account}, true, ${Math.floor(since.getTime() / hour)}, 'usd', 1, 1, 0, 100, '{}', '{}')`,
  approval_hours: (tx, since, n) => tx`
    insert into approval_hours (account_id, livemode, hour, place, network, payments)
    values (${account}, true, ${Math.floor(since.getTime() / hour)}, ${n}, 'visa', 1)`,
  settlement_costs: (tx, since, n) => tx`
    insert into settlement_costs (account_id, livemode, day, place, network, currency, payments, amount, fee)
    values (${account}, true, ${since}::timestamptz::date, ${n}, 'visa', 'usd', 1, 100, 1)`,
  reconciliations: (tx, since) => tx`
    insert into reconciliations (account_id, livemode, id, day, status, processor, checked_at)
    values (${account}, true, ${uuidOf(newId("rec", since))}, ${since}::timestamptz::date, 'balanced', 'adyen', ${since})`,
  reconciliation_differences: (tx, since) => {
    const id = uuidOf(newId("diff", since));
    return tx`
      insert into reconciliation_differences (account_id, livemode, id, found_by, closed_by, status, kind, noun, subject, reference)
      values (${account}, true, ${id}, ${id}, ${id}, 'closed', 'missing_here', 'charge', ${id}, '')`;
  },
  dispute_drafts: async (tx, since) => {
    const dispute = await insertClosedDispute(tx);
    await tx`
      insert into dispute_drafts (account_id, livemode, dispute_id, version, evidence, updated_at)
      values (${account}, false, ${dispute}, 1, '{}', ${since})`;
  },
  dispute_files: async (tx, since) => {
    const dispute = await insertClosedDispute(tx);
    await tx`
      insert into dispute_files (account_id, livemode, id, dispute_id, file_name, media_type, size, pages, ciphertext)
      values (${account}, false, ${uuidOf(newId("file", since))}, ${dispute}, '', 'image/png', 1, 1, '\\x00')`;
  },
  checker_runs: (tx, since) => tx`
    insert into checker_runs (id, kind, requested_by, ended_at, error)
    values (${uuidOf(newId("run", since))}, 'consistency', ${person}, ${since}, 'canceled')`,
  operator_proposals: (tx, since) => tx`
    insert into operator_proposals (id, kind, details, reason, status, proposed_by, expires_at, decided_at)
    values (${uuidOf(newId("prop", since))}, 'add_operator', '{}', '', 'expired', ${person}, ${since}, ${since})`,
  team_notifications: (tx, since) => {
    const id = uuidOf(newId("tn", since));
    return tx`
      insert into team_notifications (account_id, id, livemode, type, object_id, details)
      values (${account}, ${id}, true, 'payout.failed', ${id}, '{}')`;
  },
  receipts: (tx, since) => {
    const id = uuidOf(newId("rcpt", since));
    return tx`
      insert into receipts (account_id, livemode, id, charge_id, recipient)
      values (${account}, true, ${id}, ${id}, 'ada@example.com')`;
  },
  wallet_token_uses: (tx, since, n) => tx`
    insert into wallet_token_uses (account_id, livemode, token_hash, checkout_session_id, payment_method_id, expires_at)
    values (${account}, false, ${Buffer.alloc(32, n)}, gen_random_uuid(), gen_random_uuid(), ${since})`,
  invitations: (tx, since, n) => tx`
    insert into invitations (account_id, id, email, role, invited_by, token_hash, expires_at)
    values (${account}, ${crypto.randomUUID()}, ${`${n}@example.com`}, 'analyst', ${person}, ${Buffer.from([n])}, ${since})`,
  sessions: (tx, since, n) => tx`
    insert into sessions (id, person_id, token_hash, second_factor, authenticated_at, last_seen_at, ip, user_agent)
    values (${crypto.randomUUID()}, ${person}, ${Buffer.from([n])}, false, ${since}, ${since}, '', '')`,
  passkey_challenges: (tx, since, n) => tx`
    insert into passkey_challenges (challenge, purpose, expires_at) values (${`${n}`}, 'sign_in', ${since})`,
  links: (tx, since, n) => tx`
    insert into links (hash, purpose, email, expires_at) values (${Buffer.from([n])}, 'sign_up', 'a@example.com', ${since})`,
  sign_in_attempts: (tx, since, n) => tx`
    insert into sign_in_attempts (subject, failures, last_at, next_at) values (${`${n}`}, 1, ${since}, ${since})`,
  mails: (tx, since) => tx`
    insert into mails (id, recipient, subject, sent_at) values (${uuidOf(newId("mail", since))}, '', '', ${since})`,
  // `since` is the end of the day.
  mail_counts: (tx, since, n) => tx`
    insert into mail_counts (subject, day, count)
    values (${`${n}`}, ((${since}::timestamptz - interval '1 second') at time zone 'UTC')::date, 1)`,
  "simulator.directory_transactions": (tx, since) => tx`
    insert into simulator.directory_transactions (ds_transaction_id, three_ds_server_transaction_id, three_ds_server_url, created_at)
    values (gen_random_uuid(), gen_random_uuid(), '', ${since})`,
  "simulator.challenges": (tx, since) => tx`
    insert into simulator.challenges (acs_transaction_id, ds_transaction_id, three_ds_server_transaction_id, behavior,
                                      brand, last4, merchant_name, amount, currency, exponent, notification_url,
                                      directory_url, state, trans_status, created_at)
    values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', '', '', '', '', '', 2, '', '', 'completed', 'Y', ${since})`,
};

async function insertClosedDispute(tx: Tx): Promise<string> {
  const id = crypto.randomUUID();
  await tx`
    insert into disputes (account_id, livemode, id, charge_id, network_case, status, amount, currency, reason, is_inquiry,
                          evidence_due_at, closed_at)
    values (${account}, false, ${id}, ${id}, ${id}, 'lost', 1, 'usd', 'general', false, now(), now())`;
  return id;
}

async function insertEvent(tx: Tx, since: Date): Promise<string> {
  const id = uuidOf(newId("evt", since));
  await tx`
    insert into events (account_id, livemode, id, type, object_id, body)
    values (${account}, false, ${id}, 'ping', ${id}, '{}')`;
  return id;
}

const limited = Object.entries(tableTerms).filter(
  (entry): entry is [string, Deleted] => entry[1].kind === "deleted",
);

/** The period that one row covers, in tables with a row per hour or day. The rows of the test are a period apart. */
const granularityMs: Readonly<Record<string, number>> = {
  velocity_counts: hour,
  payment_hours: hour,
  approval_hours: hour,
  settlement_costs: 24 * hour,
  reconciliations: 24 * hour,
  mail_counts: 24 * hour,
};

test("in each table whose rows are kept for a limited time, older rows are deleted and younger rows are kept", async () => {
  await database.transaction(async (tx) => {
    await tx`insert into people (id, email, name, password_hash) values (${person}, 'a@example.com', 'A', '')`;
    await tx`delete from configuration_changes`;
  });
  assert.deepEqual(
    Object.keys(insertOne).sort(),
    limited.map(([table]) => table).sort(),
    "Add a row of the table to this test.",
  );
  const now = shop.clock.now().getTime();
  const before = await countRows();
  for (const [table, { lifeMs }] of limited) {
    const step = granularityMs[table] ?? 0;
    await database.transaction(async (tx) => {
      await insertOne[table]?.(tx, new Date(now - lifeMs - step - 5 * minute), 1);
      await insertOne[table]?.(tx, new Date(now - lifeMs + step + 5 * minute), 2);
    });
  }
  const inserted = await countRows();
  const leftOver = () =>
    limited.flatMap(([table]) => {
      const more = (inserted.get(table) ?? 0) - (before.get(table) ?? 0);
      return more >= 2 ? [] : [table];
    });
  assert.deepEqual(leftOver(), [], "these tables did not get two rows");
  for (let turn = 0; turn < 3; turn++) await shop.timers.turn();
  for (const [table] of limited) {
    const gone = (inserted.get(table) ?? 0) - ((await countRows()).get(table) ?? 0);
    // Each of the two deliveries that this test inserts has an event of its own.
    assert.equal(gone, table === "events" ? 2 : 1, `${table} lost ${gone} rows`);
  }
});

async function countRows(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const [table] of limited) {
    const rows = await database.read<{ count: number }>({
      name: `count ${table}`,
      text: `select count(*) as count from ${table}`,
    });
    counts.set(table, rows[0]?.count ?? 0);
  }
  return counts;
}
