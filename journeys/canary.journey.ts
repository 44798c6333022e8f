import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fillBag, pay, payHere, seesOrderPaid } from "./customer.ts";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { overhearMessages } from "./overhear.ts";
import { florin } from "./running-florin.ts";

/** No other journey types these, and nothing else in the system reads like them. */
const canary = { number: "371449635398431", cvc: "0391" };

/** Its bank is asked for an authentication, in a message that carries the number, and then shows a page. */
const authenticatedCanary = { number: "4000003071000000" };

/** With whatever a person or a program may put between the digits; not as part of a longer word. */
const traces = [
  ...[canary, authenticatedCanary].map(({ number }) => new RegExp([...number].join("\\W?"))),
  /(?<![0-9A-Za-z.+/_-])0391(?![0-9A-Za-z.+/_-])/,
];

for (const [how, card] of [
  ["", canary],
  [" when its bank is asked in 3-D Secure", authenticatedCanary],
] as const) {
  journey(
    `what was typed into the card form is found nowhere but in the one request to the vault${how}`,
    async (customer, seen) => {
      await overhearMessages(customer, seen);
      const page = await fillBag(customer);
      await pay(await payHere(page), card);
      await seesOrderPaid(page);

      const requests = seen.requests.filter(({ text }) => leaks(text));
      assert.deepEqual(
        requests.map(({ line }) => line),
        [`POST ${florin.url}/vault/cards`],
      );
      // The watch is awake: there were messages between page and frame, and the log spoke.
      assert.ok(seen.messages.length > 5);
      assert.ok(florin.output().includes("Florin is ready."));
      assert.deepEqual(seen.messages.filter(leaks), []);
      assert.deepEqual(florin.output().split("\n").filter(leaks), []);
      const metrics = await (await fetch(florin.metricsUrl)).text();
      assert.match(metrics, /florin_charge_moves_total\{mode="test",status="succeeded"/);
      assert.deepEqual(metrics.split("\n").filter(leaks), []);
      assert.deepEqual((await everyRow()).filter(leaks), []);
      // Not even in the vault in plain, nor in Postgres's own log of changes, nor in a file of the shop.
      assert.deepEqual(filesWith(florin.dataDirectory, card.number), []);
    },
  );
}

function leaks(text: string): boolean {
  return traces.some((trace) => trace.test(text));
}

/** Every row of every table of ours, as text. */
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
