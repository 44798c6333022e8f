import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAdyen, pay, startAdyenShop } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { createPerson } from "../person.ts";
import { minute } from "../test-clock.ts";
import { until } from "../until.ts";

const { adyen, shop } = await startAdyenShop();
const { key, connection } = await connectAdyen(shop, adyen);
const operator = await createPerson(shop, { operator: true, secondFactor: true });
const path = `/operator/v1/connections/${connection}/reports`;

type Report = {
  readonly batch: string;
  readonly applied_at: number | null;
  readonly failure: { attempts: number; problem: string; retry_at: number } | null;
};

const reports = async (): Promise<Report[]> => (await operator.send("GET", path)).body.data;
const reportOf = async (batch: string) => (await reports()).find((one) => one.batch === batch);

async function upload(csv: string): Promise<void> {
  const sent = await operator.send("POST", `${path}?file_name=report.csv`, csv, {
    "content-type": "text/csv",
  });
  assert.equal(sent.status, 201, sent.text);
}

function run(statement: string) {
  return shop.app.database.autocommit((tx) => tx(Object.assign([statement], { raw: [statement] })));
}

const head =
  "Merchant Account,Psp Reference,Merchant Reference,Creation Date,TimeZone,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number";

/** Returns the report of a batch that has only costs. Adyen transfers the costs to the next batch. */
function costsOnly(batch: string): string {
  const start = "FieldwareECOM,,,2026-01-31 10:00:00,CET";
  return `${[
    head,
    `${start},MiscCosts,,,,,1,USD,1.00,,,,,,${batch}`,
    `${start},Balancetransfer,,,,,1,USD,,1.00,,,,,${batch}`,
  ].join("\n")}\n`;
}

const failing = Array.from({ length: 11 }, (_, index) => String(901 + index));
const failureLines = () =>
  shop.log.filter(({ msg }) => msg === "settlement report: not applied, will be retried");

test("reports whose posting keeps failing do not hold up a newer one, and each attempt is logged once", async () => {
  await run(
    `create function fail_settlement() returns trigger language plpgsql as
       $$ begin if new.batch like '9__' then raise 'stopped by a test'; end if; return new; end $$`,
  );
  await run(
    "create trigger fail_settlement before insert on settlements for each row execute function fail_settlement()",
  );
  // Stops the clock, so that no failed report becomes due again during the test.
  shop.clock.stop();
  for (const batch of failing) await upload(costsOnly(batch));
  await until(reports, (found) => found.some(({ failure }) => failure !== null));
  await pay(await createCheckout(shop, {}, key));
  await adyen.control("POST settlements", { merchantAccount: "FieldwareECOM" });
  await until(
    () => reportOf("1"),
    (report) => typeof report?.applied_at === "number",
    8_000,
  );

  const failed = await until(
    async () => (await reports()).filter(({ failure }) => failure !== null),
    ({ length }) => length === failing.length,
  );
  for (const { failure, applied_at } of failed) {
    assert.equal(applied_at, null);
    assert.match(failure?.problem ?? "", /stopped by a test/);
    assert.ok((failure?.retry_at ?? 0) * 1_000 > shop.clock.now().getTime());
  }
  const { body: health } = await operator.send("GET", "/operator/v1/health");
  const queue = health.queues.find(({ name }: { name: string }) => name === "settlement_reports");
  assert.equal(queue?.waiting, failing.length);
  const attempts = await until(
    async () => {
      const [row] = await shop.app.database.read<{ sum: number }>`
        select sum(failures)::int as sum from settlement_reports`;
      return row?.sum;
    },
    // The line is logged after the failure is stored.
    (sum) => sum === failureLines().length,
  );
  assert.equal(attempts, failing.length, "the attempts are not delayed");
});

test("a report whose posting has failed is applied when it is due again, or when it is uploaded again", async () => {
  await run("drop trigger fail_settlement on settlements");
  await shop.app.database.autocommit(
    (tx) => tx`
      update settlement_reports set due_at = due_at + interval '1 day' where batch = '901'`,
  );
  shop.clock.advance(5 * minute);
  await until(reports, (found) => found.filter((one) => one.applied_at === null).length === 1);
  assert.equal((await reportOf("902"))?.failure, null);
  assert.notEqual((await reportOf("901"))?.failure, null);
  await upload(costsOnly("901"));
  await until(
    () => reportOf("901"),
    (report) => report?.applied_at !== null && report?.failure === null,
  );
});

test("while a report is fetched and stored, no other process fetches it", async () => {
  const { database } = shop.app;
  await pay(await createCheckout(shop, {}, key));
  await database.transaction(async (tx) => {
    await tx`lock table settlement_reports in exclusive mode`;
    await adyen.control("POST settlements", { merchantAccount: "FieldwareECOM" });
    await until(
      async () => {
        const [row] = await database.read<{ due_at: Date }>`
          select due_at from acquirer_notifications where event_code = 'REPORT_AVAILABLE' and state = 'pending'`;
        return row?.due_at.getTime() ?? 0;
      },
      (dueAt) => dueAt > shop.clock.now().getTime() + 10 * minute,
    );
  });
  await until(
    async () =>
      database.read`
        select 1 from acquirer_notifications where event_code = 'REPORT_AVAILABLE' and state = 'pending'`,
    ({ length }) => length === 0,
  );
});

test("a report whose storage has failed is fetched again after a minute", async () => {
  const { database } = shop.app;
  await run("create sequence failed_reports");
  await run(
    `create function fail_report() returns trigger language plpgsql as
       $$ begin perform nextval('failed_reports'); raise 'stopped by a test'; end $$`,
  );
  await run(
    "create trigger fail_report before insert on settlement_reports for each row execute function fail_report()",
  );
  await pay(await createCheckout(shop, {}, key));
  await adyen.control("POST settlements", { merchantAccount: "FieldwareECOM" });
  // The trigger advances this sequence. A rollback of the transaction does not reset a sequence.
  await until(
    () => database.read`select from failed_reports where is_called`,
    ({ length }) => length === 1,
  );
  await run("drop trigger fail_report on settlement_reports");
  await until(
    () => database.read`
      select from acquirer_notifications
       where event_code = 'REPORT_AVAILABLE' and state = 'pending' and due_at < ${new Date(shop.clock.now().getTime() + 2 * minute)}`,
    ({ length }) => length === 1,
  );
  shop.clock.advance(2 * minute);
  await until(
    () => database.read`
      select from acquirer_notifications where event_code = 'REPORT_AVAILABLE' and state = 'pending'`,
    ({ length }) => length === 0,
  );
});
