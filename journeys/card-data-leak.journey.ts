import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addToBag, pay, payInFrame, waitUntilOrderPaid } from "./customer.ts";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { recordMessages } from "./record-traffic.ts";
import { florin } from "./running-florin.ts";

/** A card number and CVC that only this journey uses, so that each occurrence is from this payment. */
const canary = { number: "371449635398431", cvc: "0391" };

/** A card that requires a 3-D Secure challenge. Its number is part of the AReq. */
const authenticatedCanary = { number: "4000003071000000" };

/** Matches the card numbers with any separator between the digits, and the CVC only as a whole word. */
const cardDataPatterns = [
  ...[canary, authenticatedCanary].map(({ number }) => new RegExp([...number].join("\\W?"))),
  /(?<![0-9A-Za-z.+/_-])0391(?![0-9A-Za-z.+/_-])/,
];

for (const [suffix, card] of [
  ["", canary],
  [" during a 3-D Secure challenge", authenticatedCanary],
] as const) {
  journey(
    `card data appears only in the single request to the vault${suffix}`,
    async (customer, traffic) => {
      await recordMessages(customer, traffic);
      const page = await addToBag(customer);
      await pay(await payInFrame(page), card);
      await waitUntilOrderPaid(page);

      const requests = traffic.requests.filter(({ text }) => containsCardData(text));
      assert.deepEqual(
        requests.map(({ line }) => line),
        [`POST ${florin.url}/vault/cards`],
      );
      // Check first that the recording contains messages between the page and the frame, and that the log contains
      // output.
      assert.ok(traffic.messages.length > 5);
      assert.ok(florin.output().includes("Florin is ready."));
      assert.deepEqual(traffic.messages.filter(containsCardData), []);
      assert.deepEqual(florin.output().split("\n").filter(containsCardData), []);
      const metrics = await (await fetch(florin.metricsUrl)).text();
      assert.match(metrics, /florin_charge_transitions_total\{mode="test",status="succeeded"/);
      assert.deepEqual(metrics.split("\n").filter(containsCardData), []);
      assert.deepEqual((await everyRow()).filter(containsCardData), []);
      // No file of the directory contains the number. The directory includes the vault, Postgres's WAL and the shop's
      // files.
      assert.deepEqual(filesWith(florin.dataDirectory, card.number), []);
    },
  );
}

function containsCardData(text: string): boolean {
  return cardDataPatterns.some((pattern) => pattern.test(text));
}

/** Returns every row of every table as text. */
async function everyRow(): Promise<string[]> {
  const tables = await query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name
      from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')
  `);
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await query<{ row: string }>(`select t::text as row from ${name} t`);
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  assert.ok(rows.some((row) => row.startsWith("public.vault_cards")));
  return rows;
}

function filesWith(directory: string, text: string): string[] {
  const needle = Buffer.from(text);
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(needle));
}
