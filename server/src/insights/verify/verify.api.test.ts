import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCardholder } from "../../../test/cardholder.ts";
import { createCheckout, createSetup } from "../../../test/checkout.ts";
import { type Shop, startShop, until } from "../../../test/shop.ts";
import { day } from "../../../test/test-clock.ts";
import { findStoredCardData } from "../../core/card-data.ts";
import { type ChargeId, createdAt, idFromUuid, newId, uuidOf } from "../../core/ids.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { findPaymentsWithoutApproval } from "./acquirer.sql.ts";
import { findBrokenAuditChains } from "./audit.sql.ts";
import { findCardsOutsideTheVault } from "./cards.sql.ts";
import { copyChangedRows, createCopies, readCopies } from "./changed-rows.sql.ts";
import type { Acknowledged, Check, CheckOptions } from "./check.ts";
import { type CheckName, checks } from "./checks.ts";
import { printReport } from "./print-report.ts";
import { defaultOptions, verify } from "./verify.ts";

let shop: Shop;
let acknowledged: Acknowledged[];

/**
 * Creates a paid charge, a declined charge, a charge approved after 3-D Secure, an authorized charge, a paid session
 * and a session that saves a card.
 */
before(async () => {
  shop = await startShop();
  await shop.post("/webhook_endpoints", { url: "http://127.0.0.1:9/hooks", enabled_events: ["*"] });
  const params = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  const paid = await shop.post("/charges", params, { key: "paid" });
  const rejected = { ...params, payment_method_id: "pm_card_visa_chargeDeclined" };
  await shop.post("/charges", rejected, { key: "declined" });
  await shop.post("/charges", { ...params, capture_method: "manual" }, { key: "authorized" });
  const browser = await createCheckout(shop);
  await browser.pay("4242424242424242");
  await until(
    () => browser.readSession(),
    ({ body }) => body.status === "complete",
  );
  await (await createSetup(shop)).pay("4242424242424242");
  const secured = { ...params, payment_method_id: "pm_card_threeDSecure2Frictionless" };
  const { next_action } = (await shop.post("/charges", secured, { key: "secured" })).body;
  const cardholder = createCardholder(shop, next_action.url);
  await cardholder.runUntilAres();
  await until(cardholder.step, ({ body }) => body.step === "done");
  const captured = await shop.post("/charges", { ...params, capture_method: "manual" });
  await shop.post(`/charges/${captured.body.id}/capture`, {});
  await shop.post("/refunds", { charge_id: captured.body.id, amount: 500 });
  const risky = { ...params, payment_method_id: "pm_card_riskLevelElevated" };
  const reviewed = await shop.post("/charges", risky);
  await shop.post(`/decisions/${reviewed.body.decision_id}/approve`, {});
  await shop.post("/charges", risky);
  const disputed = await shop.post("/charges", params);
  const dispute = await shop.post("/test_helpers/disputes", { charge_id: disputed.body.id });
  await shop.post(`/test_helpers/disputes/${dispute.body.id}/close`, { outcome: "lost" });
  await shop.app.database.transaction((tx) => tx`update accounts set settlement_days = 0`);
  await shop.post("/charges", { ...params, amount: 10_000 });
  const payout = await shop.post("/payouts", { amount: 100, currency: "usd" });
  await until(
    () => shop.get(`/payouts/${payout.body.id}`),
    ({ body }) => body.status === "paid",
  );
  acknowledged = [{ chargeId: paid.body.id as ChargeId, status: "succeeded" }];
});

after(() => shop.close());

const everything = (): CheckOptions => ({
  ...defaultOptions,
  cards: true,
  endpointsNeverChanged: true,
  acknowledged,
});

test("a consistent database passes every check", async () => {
  const report = await verify(shop.app.database, everything());
  assert.equal(report.violations, 0, printReport(report));
  assert.deepEqual(
    report.results.map(({ name }) => name),
    checks.map(({ name }) => name),
  );
});

test("a consistent database passes the checks since any moment of its history", async () => {
  const { database } = shop.app;
  const events = await database.read<{ id: string }>`select id from events order by id`;
  assert(events.length > 20);
  let examined = Number.POSITIVE_INFINITY;
  for (const [index, { id }] of events.entries()) {
    if (index % 4 > 0 && index < events.length - 1) continue;
    const since = new Date(createdAt(idFromUuid("evt", id)).getTime() + 1);
    const report = await verify(database, { endpointsNeverChanged: true, since });
    assert.equal(report.violations, 0, `${since.toISOString()}\n${printReport(report)}`);
    const transfers = report.results.find(({ name }) => name === "debits_equal_credits");
    assert(transfers && transfers.examined <= examined);
    examined = transfers.examined;
  }
  assert(examined < 10, "rows that have not changed are not examined");
});

test("a change of an old object is examined, and other old objects are not", async () => {
  const { database } = shop.app;
  const violationsOf = async (since: Date) =>
    (await verify(database, { since })).results.flatMap(({ sentences }) => sentences);
  await database.transaction(
    (tx) => tx`update simulator.operations set amount = amount - 1 where kind = 'refund'`,
  );
  const since = new Date(Date.now() + 1);
  assert.deepEqual(await violationsOf(since), []);
  const [charge] = await database.read<{ id: string }>`
    select charge_id as id from operations where kind = 'refund'`;
  const refund = { charge_id: idFromUuid("ch", charge?.id ?? ""), amount: 100 };
  assert.equal((await shop.post("/refunds", refund)).status, 201);
  const found = await violationsOf(since);
  await database.transaction(
    (tx) =>
      tx`update simulator.operations set amount = amount + 1 where kind = 'refund' and amount = 499`,
  );
  assert.equal(found.length, 1);
  assert.match(found[0] ?? "", /refund of 5\.00 USD/);
  assert.deepEqual(await violationsOf(since), []);
});

/**
 * The damage that each check finds, applied to a sound database. Constraints that forbid the damage are dropped first.
 */
const damage: Readonly<Record<CheckName, (tx: Tx) => Promise<unknown>>> = {
  debits_equal_credits: (tx) =>
    // A transfer has two sides and one amount, so only a missing side can unbalance the ledger.
    tx`alter table ledger_transfers alter column credit drop not null`.then(
      () => tx`update ledger_transfers set credit = null where kind = 'fee'`,
    ),
  entries_are_complete: (tx) => tx`delete from ledger_transfers where line = 1`,
  transfers_match_their_kind: (tx) =>
    tx`update ledger_transfers set debit = 'bank' where kind = 'charge'`,
  payments_are_in_ledger: (tx) => tx`delete from ledger_transfers`,
  ledger_payments_succeeded: (tx) =>
    tx`update ledger_transfers set entry_id = (select id from charges where status = 'failed'), line = line + 2
        where line = 2 and entry_id = (select id from charges where idempotency_key = 'paid')`,
  amounts_are_possible: async (tx) => {
    await lift(tx);
    await tx`update charges set amount_captured = amount + 1 where idempotency_key = 'paid'`;
  },
  payments_are_approved: (tx) => tx`update simulator.authorizations set state = 'reversed'`,
  approvals_have_payments: (tx) =>
    tx`update simulator.authorizations set state = 'approved' where state = 'declined'`,
  balances_follow_objects: (tx) =>
    tx`update operations set amount = amount - 1 where kind = 'refund'`,
  checkpoints_match_ledger: (tx) =>
    tx`insert into balance_checkpoints (account_id, livemode, currency, captured_hour, amount)
       select id, false, 'sek', '-infinity', 1 from accounts limit 1`,
  operations_are_done: (tx) =>
    tx`update simulator.operations set amount = amount - 1 where kind = 'refund'`,
  operations_add_up: (tx) => tx`update operations set amount = amount - 1 where kind = 'refund'`,
  refunds_are_in_ledger: (tx) => tx`delete from ledger_transfers where kind = 'refund'`,
  refunds_are_announced_once: (tx) => tx`delete from events where type = 'refund.succeeded'`,
  no_operation_is_stuck: (tx) =>
    tx`update operations set status = 'processing', finalized_at = null, due_at = now() - interval '1 hour' where kind = 'refund'`,
  disputes_add_up: (tx) => tx`update disputes set amount = amount - 1`,
  disputes_are_in_ledger: (tx) => tx`delete from ledger_transfers where kind = 'dispute_loss'`,
  disputes_are_announced_once: (tx) => tx`delete from events where type = 'dispute.closed'`,
  no_dispute_is_stuck: (tx) => tx`update disputes set response_due_at = now() - interval '1 hour'`,
  payouts_are_done: (tx) => tx`update simulator.payouts set amount = amount + 1`,
  payouts_are_in_ledger: (tx) => tx`delete from ledger_transfers where kind = 'payout_arrival'`,
  settlements_are_in_ledger: (tx) =>
    tx`insert into settlements (account_id, livemode, id, connection_id, merchant_account, batch, currency, part, settled,
                                fees, converted, net, paid)
       select id, true, ${uuidOf(newId("stl", shop.clock.now()))}, gen_random_uuid(), 'FieldwareECOM', '7', 'usd', 1,
              100, 0, 0, 100, 0
         from accounts limit 1`,
  cards_within_their_term: async (tx) => {
    await tx`update charges set finalized_at = finalized_at - interval '1 hour' where checkout_session_id is not null`;
    await tx`insert into vault_cards (account_id, livemode, id, key_id, wrapped_key, ciphertext)
             select account_id, livemode, id, 'test.1', '\\x00', '\\x00'
               from payment_methods where customer_id is null
                 on conflict do nothing`;
  },
  references_are_used_once: (tx) =>
    tx`insert into simulator.authorizations (merchant, reference, amount, approved, currency, captured, state)
       select gen_random_uuid(), reference, amount, approved, currency, captured, 'declined'
         from simulator.authorizations limit 1`,
  authentication_is_enforced: (tx) =>
    tx`update authentications set result = 'failed', trans_status = 'N'`,
  responses_match_charges: (tx) =>
    tx`update idempotency_keys set response = '{"id":"ch_another","status":"succeeded"}', event_id = null
        where key = 'paid'`,
  no_error_is_stored: (tx) => tx`update idempotency_keys set status_code = 500 where key = 'paid'`,
  keys_have_responses: (tx) =>
    tx`update idempotency_keys set status_code = null, response = null, event_id = null where key = 'paid'`,
  one_key_one_charge: (tx) =>
    tx`update charges set idempotency_key = 'paid' where idempotency_key = 'authorized'`,
  charges_are_announced_once: (tx) => tx`delete from events where type = 'payment_failed'`,
  sessions_are_announced_once: (tx) =>
    tx`delete from events where type = 'checkout_session.completed'`,
  events_have_objects: (tx) => tx`update events set object_id = gen_random_uuid()`,
  deliveries_have_events: (tx) => tx`delete from events where type = 'payment_failed'`,
  deliveries_have_reasons: (tx) =>
    tx`update webhook_deliveries set status = 'succeeded', next_attempt_at = null`,
  events_are_queued: (tx) => tx`delete from webhook_deliveries`,
  sessions_follow_charges: (tx) =>
    tx`update checkout_sessions set status = 'open', payment_status = 'unpaid' where mode = 'payment'`,
  sessions_follow_verifications: (tx) =>
    tx`update payment_methods set verification_id = null where verification_id is not null`,
  sessions_are_paid_once: (tx) =>
    tx`update charges set checkout_session_id = (select id from checkout_sessions where mode = 'payment') where idempotency_key = 'paid'`,
  nothing_is_stuck: async (tx) => {
    await lift(tx);
    await tx`update charges set status = 'processing', due_at = now() - interval '1 hour'`;
  },
  settlement_lines_have_files: (tx) =>
    tx`insert into settlement_lines (
         account_id, livemode, file_id, line, type, noun, subject, reference, posted_at, currency, amount, fee
       )
       select id, false, gen_random_uuid(), 1, 'capture', 'charge', gen_random_uuid(), 'one', now(), 'usd', 1, 0
         from accounts limit 1`,
  audit_log_is_intact: async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update audit_log set entry = replace(entry, '127.0.0.1', '127.0.0.2') where number = 1`;
  },
  no_card_outside_the_vault: (tx) =>
    tx`update charges set metadata = '{"note":"card 4242 4242 4242 4242"}'`,
  acknowledged_states_hold: async (tx) => {
    await lift(tx);
    await tx`update charges set status = 'failed' where idempotency_key = 'paid'`;
  },
};

/** Drops the CHECK constraints of `charges`, as a careless migration could. */
async function lift(tx: Tx): Promise<void> {
  await tx`
    do $$
    declare rule name;
    begin
      for rule in select conname from pg_constraint where conrelid = 'charges'::regclass and contype = 'c' loop
        execute format('alter table charges drop constraint %I', rule);
      end loop;
    end $$
  `;
}

class RolledBack extends Error {}

test("a violation without an object, and one without a capture at the acquirer, are described as such", async () => {
  const trial = shop.app.database.transaction(async (tx) => {
    await tx`select set_config('florin.damage', 'on', true)`;
    await tx`set local session_replication_role = replica`;
    await tx`delete from operations where kind = 'refund'`;
    await tx`delete from disputes`;
    await tx`delete from payouts`;
    const names: readonly CheckName[] = [
      "refunds_are_in_ledger",
      "refunds_are_announced_once",
      "disputes_are_in_ledger",
      "disputes_are_announced_once",
      "payouts_are_in_ledger",
    ];
    for (const { name, find } of checks.filter(({ name }) => names.includes(name))) {
      const { sentences } = await find(tx, everything());
      assert.match(
        sentences[0] ?? "",
        /^\w+ does not exist, but (the ledger has|its events are)\b/,
        name,
      );
    }
    await tx`update simulator.authorizations set captured = false`;
    const { sentences } = await findPaymentsWithoutApproval(tx);
    assert.match(sentences[0] ?? "", /^ch_\w+ is succeeded, but not captured at the acquirer\.$/);
    throw new RolledBack();
  });
  await assert.rejects(trial, RolledBack);
});

for (const check of checks as readonly (Check & { name: CheckName })[]) {
  test(`${check.name} detects its violations`, async () => {
    const trial = shop.app.database.transaction(async (tx) => {
      await tx`select set_config('florin.damage', 'on', true)`;
      await damage[check.name](tx);
      const found = await check.find(tx, everything());
      assert(found.total > 0, "nothing was found");
      assert.equal(found.sentences.length, Math.min(found.total, 20));
      // Amounts are printed as `19.99 USD`, never in minor units.
      for (const sentence of found.sentences) assert.doesNotMatch(sentence, /\b(usd|sek)\b/);
      // All rows are younger than a day, so a verification of the past day finds the same violations.
      const options = { ...everything(), since: new Date(shop.clock.now().getTime() - day) };
      if (check.applies?.(options) ?? true) {
        await createCopies(tx);
        await copyChangedRows(tx, options);
        const again = await check.find(readCopies(tx), options);
        assert.equal(again.total, found.total);
        if (found.total <= 20)
          assert.deepEqual(again.sentences.toSorted(), found.sentences.toSorted());
      }
      throw new RolledBack();
    });
    await assert.rejects(trial, RolledBack);
  });
}

for (const [what, harm] of [
  ["deleted at the start", (tx: Tx) => tx`delete from audit_log where number = 1`],
  ["truncated at the end", (tx: Tx) => tx`delete from audit_log where number > 1`],
  ["deleted with its whole log", (tx: Tx) => tx`delete from audit_log`],
] as const) {
  test(`verify detects an audit log entry that was ${what}`, async () => {
    const trial = shop.app.database.transaction(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await harm(tx);
      const { audit } = shop.app.database;
      assert((await findBrokenAuditChains(tx, audit)).total > 0, "nothing was found");
      throw new RolledBack();
    });
    await assert.rejects(trial, RolledBack);
  });
}

test("a card number is found after any number of false candidates", async () => {
  const trial = shop.app.database.transaction(async (tx) => {
    await tx`create table notes (note text)`;
    await tx`insert into notes select 'order 1763700000000' from generate_series(1, 2500)`;
    await tx`insert into notes values ('card 4242424242424242')`;
    const found = await findCardsOutsideTheVault(tx);
    assert.deepEqual([found.total, /ending in 4242/.test(found.sentences[0] ?? "")], [1, true]);
    throw new RolledBack();
  });
  await assert.rejects(trial, RolledBack);
});

test("a pending approval at the acquirer belongs to a charge that still has inquiries", async () => {
  // The approval stays pending for longer than the checks take.
  const service = await startShop({ acquirer: { resolveAfterMs: day } });
  after(() => service.close());
  const charge = await service.post("/charges", {
    amount: 9_004_005,
    currency: "usd",
    payment_method_id: "pm_card_visa",
  });
  assert.equal(charge.body.pending_reason, "acquirer_processing");
  const report = await verify(service.app.database, { ...everything(), acknowledged: [] });
  assert.equal(report.violations, 0, printReport(report));
  assert.equal(report.open.awaitingInquiry, 1);
});

test("a void that the acquirer has executed is not a violation while its outcome is not recorded", async () => {
  const trial = shop.app.database.transaction(async (tx) => {
    await tx`
      update simulator.authorizations set state = 'reversed'
       where reference = (select id from charges where idempotency_key = 'authorized')`;
    await tx`
      insert into operations (account_id, livemode, id, charge_id, kind, status, amount, currency, claimed_by)
      select account_id, livemode, uuidv7(), id, 'void', 'processing', amount, currency, 0
        from charges where idempotency_key = 'authorized'`;
    const found = await findPaymentsWithoutApproval(tx);
    assert.equal(found.total, 0, found.sentences.join(" "));
    throw new RolledBack();
  });
  await assert.rejects(trial, RolledBack);
});

test("a card number is distinguished from ids, times and amounts", () => {
  const cards = [
    "4242424242424242",
    "4242 4242 4242 4242",
    "5555-5555-5555-4444",
    "3782 822463 10005",
    '{"number":"378282246310005"}',
    '{"cvc":"123"}',
  ];
  for (const text of cards) assert.notEqual(findStoredCardData(text), null, text);
  const others = [
    idFromUuid("ch", "01900000-1111-7222-8333-444444444444"),
    "01900000-1111-7222-8333-444444444444",
    "1763700000000",
    "99999999",
    "4242424242424243",
    "req42424242424242424242",
    '{"cvc_check":"pass","last4":"4242"}',
  ];
  for (const text of others) assert.equal(findStoredCardData(text), null, text);
});
