import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Charge } from "@florin/contract/charge.ts";
import { declineCodes } from "@florin/contract/declines.ts";
import fc from "fast-check";
import { anyCharacter } from "../../../test/any-character.ts";
import { createTestDatabase } from "../../../test/database.ts";
import { seed } from "../../../test/test-size.ts";
import { testMethods } from "../../cards/payment-methods/test-methods.ts";
import { idFromUuid, newId, uuidOf } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { connectDatabase } from "../../platform/database/database.ts";
import { amountCell, csvLine, textCell, timeCell } from "../../platform/http/csv.ts";
import { type ObjectText, pageOf } from "../../platform/http/list.ts";
import { createClientSecrets } from "../sessions/client-secret.ts";
import { readCharge } from "./charge.sql.ts";
import { type ChargeStatus, chargeTransitions } from "./charge.ts";
import { downloadHead, readDownloadPage } from "./charge-download.ts";
import type { ReadCharges } from "./charge-list.sql.ts";
import { chargeObject } from "./charge-object.fixture.ts";
import { chargeText } from "./charge-text.ts";
import { cachedCharges, createChargeTextCache } from "./charge-text-cache.ts";
import { findChargesAs } from "./find-charges.ts";
import { renderedCharges } from "./rendered-charges.ts";

const testDatabase = await createTestDatabase();
const database = connectDatabase({ url: testDatabase.url, poolSize: 2, onIdleError: () => {} });
const { read, readRows } = database;
after(async () => {
  await database.close();
  await testDatabase.drop();
});

const now = new Date();
const links = {
  baseUrl: () => "https://pay.example",
  clientSecrets: createClientSecrets({ test: Buffer.alloc(32, 1), live: Buffer.alloc(32, 2) }),
};
const statuses = Object.keys(chargeTransitions) as ChargeStatus[];

const uuid = fc.uuid({ version: 7 });
const orNull = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { nil: null });
/** Postgres stores no NUL and no lone surrogate. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 2 }),
      fc.constantFrom('"', "\\", ", ", ": ", "\n", "é", "€", "😀"),
    ),
    maxLength: 8,
  })
  .map((one) => one.toWellFormed().replaceAll("\0", "").slice(0, 50));
const words = fc.array(text, { maxLength: 3 });
const check = orNull(fc.constantFrom("pass", "fail", "unavailable"));
const brand = fc.constantFrom("visa", "cartes_bancaires");

/** The columns of a charge in each state. */
const row = fc
  .record({
    id: uuid,
    status: fc.constantFrom(...statuses),
    version: fc.nat(2 ** 31 - 1),
    amount: fc.integer({ min: 2, max: 99_999_999_999 }),
    share: fc.constantFrom(1, 2),
    refunded: fc.constantFrom(0, 1, 2),
    is_disputed: fc.boolean(),
    currency: fc.constantFrom("usd", "jpy", "kwd"),
    capture_method: fc.constantFrom("automatic", "manual"),
    capture_before: fc.date({ min: now, max: new Date("2200-01-01"), noInvalidDate: true }),
    pending_reason: orNull(
      fc.constantFrom("acquirer_processing", "outcome_unknown", "manual_review"),
    ),
    reversal_pending: fc.boolean(),
    payment_method_id: fc.oneof(uuid, fc.constantFrom(...testMethods.map((one) => one.uuid))),
    card: fc.record({
      brand,
      last4: fc.constant("4242"),
      exp_month: fc.integer({ min: 1, max: 12 }),
      exp_year: fc.constant(2030),
      funding: fc.constant("credit"),
      country: orNull(fc.constant("FR")),
      networks: fc.record({
        available: fc.array(brand, { maxLength: 2 }),
        preferred: orNull(brand),
      }),
      fingerprint: text,
    }),
    checks: orNull(
      fc.record({ cvcCheck: check, addressLine1Check: check, addressPostalCodeCheck: check }),
    ),
    three_d_secure: orNull(
      fc.record({ version: text, eci: orNull(text), liability_shift: fc.boolean() }),
    ),
    customer_id: orNull(uuid),
    checkout_session_id: orNull(uuid),
    decision_id: orNull(uuid),
    decision_outcome: fc.constantFrom("approve", "challenge", "review", "decline"),
    risk_score: fc.nat(100),
    decision_reasons: words,
    decision_details: orNull(
      fc.record({ email: text, matched_rules: words }, { requiredKeys: [] }),
    ),
    client_reference_id: orNull(text),
    description: orNull(text),
    statement_descriptor: orNull(text),
    off_session: fc.boolean(),
    return_url: orNull(text),
    metadata: fc.dictionary(fc.oneof(text, fc.nat(20).map(String)), text, { maxKeys: 4 }),
    decline_code: fc.constantFrom(...Object.keys(declineCodes)),
    network_decline_code: orNull(text),
    failure_entry_id: orNull(uuid),
  })
  .map(({ share, refunded, is_disputed, ...one }) => {
    const isPending = one.status === "processing" || one.status === "requires_action";
    const isFailed = one.status === "failed";
    const captured = one.status === "succeeded" ? Math.floor(one.amount / share) : 0;
    const refundedMinor = Math.floor((captured * refunded) / 2);
    return {
      ...one,
      livemode: false,
      processor: "simulator",
      claimed_by: 0,
      inquiries: 0,
      inquiry_restarts: 0,
      amount_captured: captured,
      amount_refunded: refundedMinor,
      amount_disputed: is_disputed ? captured - refundedMinor : 0,
      capture_before: one.status === "authorized" ? one.capture_before : null,
      pending_reason:
        one.status === "processing" || one.status === "authorized" ? one.pending_reason : null,
      reversal_pending: one.status === "processing" && one.reversal_pending,
      failure_code: isFailed ? "card_declined" : null,
      decline_code: isFailed ? one.decline_code : null,
      failure_unconfirmed: false,
      failure_entry_id: isFailed ? one.failure_entry_id : null,
      finalized_at: isPending ? null : now,
    };
  });
const canceled = row.filter(({ status }) => status === "canceled");
type Row = typeof row extends fc.Arbitrary<infer One> ? One : never;

test("a charge is rendered as the JSON of its API object from a `Charge`, a list row and the cache", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 1, maxLength: 30 }),
      async (rows) => {
        const scope = await insert(rows);
        const cache = createChargeTextCache(30_000);
        const expected = await Promise.all(
          rows.map(async ({ id }) => {
            const charge = await readCharge(read, scope, idFromUuid("ch", id));
            assert(charge);
            const object = JSON.stringify(chargeObject(charge, links));
            assert.equal(chargeText(charge, links), object);
            const inEvents = JSON.stringify(chargeObject(charge, null));
            assert.equal(chargeText(charge, null), inEvents);
            return { id, object, inEvents };
          }),
        );
        const newestFirst = expected.toSorted((one, other) => (one.id < other.id ? 1 : -1));
        const objects = newestFirst.map(({ object }) => object);
        const readers: [ReadCharges<ObjectText>, string[]][] = [
          [renderedCharges(readRows, scope, links), objects],
          [cachedCharges(cache, readRows, scope, links), objects],
          [
            cachedCharges(cache, readRows, scope, null),
            newestFirst.map(({ inEvents }) => inEvents),
          ],
          [cachedCharges(cache, readRows, scope, links), objects],
        ];
        for (const [reader, texts] of readers) assert.deepEqual(await list(reader, scope), texts);
      },
    ),
    { seed, numRuns: 30 },
  );
});

test("a download page has the CSV lines of its charges, and the last ID if another page follows", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 2, maxLength: 30 }),
      fc.boolean(),
      async (rows, hasMore) => {
        const scope = await insert(rows);
        const limit = hasMore ? rows.length - 1 : rows.length;
        const expected: string[] = [];
        for (const { id } of rows.toSorted((one, other) => (one.id < other.id ? 1 : -1))) {
          const charge = await readCharge(read, scope, idFromUuid("ch", id));
          assert(charge);
          expected.push(lineOf(JSON.parse(chargeText(charge, null)) as Charge));
        }
        const page = { ...pageOf({}, "ch"), limit };
        const { lines, last } = await readDownloadPage(readRows, page, (reading) =>
          findChargesAs(reading, read, scope, {}, page),
        );
        assert.equal(Buffer.from(lines).toString(), expected.slice(0, limit).join(""));
        const ids = rows.map(({ id }) => id).toSorted();
        assert.equal(last, hasMore ? ids[1] : null);
      },
    ),
    { seed, numRuns: 30 },
  );
});

/** Returns the CSV line of a charge, built from its API object. */
function lineOf(charge: Charge): string {
  const amount = (minor: number) => amountCell(minor, charge.currency);
  const cells: Record<string, string> = {
    id: charge.id,
    created: timeCell(charge.created),
    status: charge.status,
    currency: charge.currency,
    amount: amount(charge.amount),
    amount_captured: amount(charge.amount_captured),
    amount_refunded: amount(charge.amount_refunded),
    amount_disputed: amount(charge.amount_disputed),
    decline_code: charge.decline_code ?? "",
    risk_score: String(charge.outcome.risk_score),
    brand: charge.payment_method_details.card.brand,
    last4: charge.payment_method_details.card.last4 ?? "",
    payment_method_id: charge.payment_method_id,
    customer_id: charge.customer_id ?? "",
    checkout_session_id: charge.checkout_session_id ?? "",
    client_reference_id: textCell(charge.client_reference_id),
    description: textCell(charge.description),
    metadata: textCell(JSON.stringify(charge.metadata)),
  };
  assert.equal(downloadHead, csvLine(Object.keys(cells)));
  return csvLine(Object.values(cells));
}

test("the cache returns a charge only to its merchant, and only in its current version", async () => {
  const [one] = fc.sample(canceled, { seed, numRuns: 1 }) as [Row];
  const charge = { ...one, version: 1, description: "before" };
  const [scope, other] = [
    await insert([charge]),
    await insert([{ ...charge, description: "other" }]),
  ];
  const cache = createChargeTextCache();
  const described = async (merchant: Scope) => {
    const [first] = await list(cachedCharges(cache, readRows, merchant, null), merchant);
    return (JSON.parse(first as string) as { description: string }).description;
  };
  assert.deepEqual([await described(scope), await described(other)], ["before", "other"]);
  assert.equal(await described(scope), "before");

  await database.transaction(
    (tx) => tx`
      update charges set description = 'after', version = 2 where account_id = ${uuidOf(scope.account)}`,
  );
  assert.equal(await described(scope), "after");
  assert.equal(await described(other), "other");
});

test("a charge that stops matching the filter before its text is read is not in the list", async () => {
  const [one] = fc.sample(canceled, { seed, numRuns: 1 }) as [Row];
  const scope = await insert([{ ...one, version: 1, client_reference_id: "order 1" }]);
  let statements = 0;
  const changing: typeof readRows = (convert) => {
    const tag = readRows(convert);
    return async (...statement) => {
      statements += 1;
      if (statements === 2) {
        await database.transaction(
          (tx) => tx`
            update charges set client_reference_id = 'order 2', version = 2
             where account_id = ${uuidOf(scope.account)}`,
        );
      }
      return tag(...statement);
    };
  };
  const reader = cachedCharges(createChargeTextCache(), changing, scope, null);
  const filter = { clientReferenceId: "order 1" };
  assert.deepEqual(await findChargesAs(reader, read, scope, filter, pageOf({}, "ch")), []);
  assert.equal(statements, 3);
});

async function list(reader: ReadCharges<ObjectText>, scope: Scope): Promise<string[]> {
  const found = await findChargesAs(reader, read, scope, {}, pageOf({ limit: 100 }, "ch"));
  return found.map((one) => (typeof one === "string" ? one : Buffer.from(one).toString()));
}

/** Inserts the charges for a new merchant. */
async function insert(rows: readonly Row[]): Promise<Scope> {
  const scope = { account: newId("acct", now), livemode: false };
  const account = uuidOf(scope.account);
  const charges = rows.map((one) => ({ ...one, account_id: account }));
  await database.transaction(async (tx) => {
    await tx`insert into accounts (id, name) values (${account}, 'Fieldware')`;
    await tx`
      insert into charges
      select * from jsonb_populate_recordset(null::charges, ${JSON.stringify(charges)}::jsonb)`;
  });
  return scope;
}
