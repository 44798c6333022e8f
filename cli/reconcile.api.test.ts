import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, type TestContext, test } from "node:test";
import { readConfig } from "@florin/server/config.ts";
import { dayMs, dayOf, daysFrom } from "@florin/server/core/utc-day.ts";
import type { Found } from "@florin/server/reconciliation/compare.ts";
import { storeFound } from "@florin/server/reconciliation/difference.sql.ts";
import { closeChecked } from "@florin/server/test/close-checked.ts";
import { type Shop, startShop } from "@florin/server/test/shop.ts";
import { reconcile } from "./reconcile.ts";
import { restore } from "./restore.ts";

async function startReconciledShop(context: TestContext) {
  const shop = await startShop({ inRealTime: true });
  const config = readConfig(shop.settings);
  const print = context.mock.method(console, "log", () => {});
  return {
    shop,
    config,
    run: (day: string, ...options: string[]) => reconcile(config, ["--day", day, ...options]),
    printed: () => String(print.mock.calls.at(-1)?.arguments[0]),
  };
}

test("florin reconcile exits with 1 when the settlement file cannot be compared", async (context) => {
  const { shop, run, printed } = await startReconciledShop(context);
  after(() => closeChecked(shop));
  const { body } = await shop.post("/charges", {
    amount: 1_000,
    currency: "usd",
    payment_method_id: "pm_card_visa",
  });
  assert.equal(body.status, "succeeded");
  const day = dayOf(new Date(body.created * 1_000));

  assert.equal(await run(day), 0);
  await setFileCurrency(shop, "US$");
  assert.equal(await run(day), 1);
  assert.match(
    printed(),
    /^file_unreadable .*'US\$' is not a currency\.\n.*: 1 merchant reconciled\.$/,
  );
  await setFileCurrency(shop, "usd");
});

/** Sets the currency of the charges in the simulator's settlement files. An invalid currency makes them unreadable. */
async function setFileCurrency({ app }: Shop, currency: string): Promise<void> {
  await app.database.transaction(
    (tx) => tx`update simulator.authorizations set currency = ${currency}`,
  );
}

test("florin restore --to records the restore of another Postgres, and florin reconcile prints every day since then", async (context) => {
  const { shop, config, printed } = await startReconciledShop(context);
  after(() => shop.close());
  await assert.rejects(
    reconcile(config, ["--since-restore"]),
    /^WrongSetting: No restore of this /,
  );
  const visa = { amount: 1_000, currency: "usd", payment_method_id: "pm_card_visa" };
  assert.equal((await shop.post("/charges", visa)).status, 201);
  const now = Date.now();
  for (const days of [1, -367]) {
    const time = new Date(now + days * dayMs).toISOString();
    await assert.rejects(
      restore(config, ["--to", time]),
      /^WrongSetting: --to must be a time in the last 366 days\. Got /,
    );
  }
  await assert.rejects(
    restore(config, ["/backup"]),
    /DATABASE_URL is set\. .*'florin restore --to TIME'/,
  );

  assert.equal(await restore(config, ["--to", new Date(now - 2 * dayMs).toISOString()]), 0);
  assert.match(printed(), /^The restore to \S+Z is recorded\.\n/);
  await reconcile(config, ["--since-restore"]);
  const days = [...printed().matchAll(/^(\S+): \d merchants? reconciled\.$/gm)].map(
    ([, one]) => one,
  );
  assert.deepEqual(days, daysFrom(new Date(now - 2 * dayMs), new Date()));
});

test("florin reconcile rejects a day that has not begun", async () => {
  const config = readConfig({ DATABASE_URL: "postgres://127.0.0.1:2/florin" });
  await assert.rejects(
    reconcile(config, ["--day", "2999-01-01"]),
    /^WrongSetting: --day must be today or a past day\. Got '2999-01-01'\. Today is \S{10}, in UTC\.$/,
  );
});

test("florin reconcile prints 100 differences of each status, and how many it leaves out", async (context) => {
  const { shop, run, printed } = await startReconciledShop(context);
  after(() => shop.close());
  const { account } = shop.merchant;
  const scope = { account, livemode: false };
  const visa = { amount: 1_000, currency: "usd", payment_method_id: "pm_card_visa" };
  assert.equal((await shop.post("/charges", visa)).status, 201);
  const { id } = (await shop.post("/reconciliations", { day: dayOf(new Date()) })).body;

  async function store(status: Found["status"], count: number): Promise<void> {
    const found = Array.from({ length: count }, (_, index): Found => {
      const side = { state: "succeeded", amount: 1_000 + index, currency: "usd" } as const;
      const reference = `${status} ${index}`;
      const subject = randomUUID();
      const sides = { payment: null, acquirer: side, ledger: null };
      return { status, kind: "missing_here", noun: "charge", subject, reference, ...sides };
    });
    await shop.app.database.transaction((tx) => storeFound(tx, scope, id, found, new Date()));
  }

  // Without a readable settlement file, the differences do not change.
  await setFileCurrency(shop, "US$");
  const day = dayOf(new Date());
  const listed = (mark: string) =>
    printed()
      .split("\n")
      .filter((line) => line.startsWith(`  ${mark} missing_here`)).length;
  const all = "GET /api/v1/reconciliation_differences?status=";

  await store("open", 100);
  await run(day);
  assert.equal(listed("!"), 100);
  assert.doesNotMatch(printed(), /more/);

  await store("open", 3);
  await store("in_transit", 101);
  await run(day);
  assert.deepEqual([listed("!"), listed("~")], [100, 100]);
  assert.ok(printed().includes(`  … 3 more open. ${all}open lists all of them.\n`), printed());
  assert.ok(printed().includes(`  … 1 more in transit. ${all}in_transit lists all of them.\n`));

  await run(day, "--json");
  const [report] = JSON.parse(printed());
  assert.equal(report.differences.length, 200);
  assert.deepEqual(report.leftOut, { open: 3, in_transit: 1 });
});
