import assert from "node:assert/strict";
import { describe } from "node:test";
import { uuidOf } from "@florin/server/core/ids.ts";
import { dose, sample } from "@florin/server/test/test-size.ts";
import type { Page } from "playwright-core";
import { bankPage, enterCode, pay } from "./customer.ts";
import { query } from "./database.ts";
import { journey } from "./journey.ts";
import { type Charge, chargesOf, createSession } from "./merchant-api.ts";

/**
 * A test card for 3-D Secure (docs/reference/test-cards.md) and its expected result. The short dose runs a sample of
 * the cards in a browser. `three-d-secure-family.api.test.ts` runs all of them without a browser.
 */
type Row = {
  readonly card: string;
  readonly what: string;
  readonly outcome: Charge["status"] | `authentication_${string}`;
  readonly result: string;
  readonly eci: string | null;
  readonly shift: boolean;
  /** Runs after the ACS page has loaded: enters the customer's input or advances the clock. */
  readonly act?: (page: Page, charge: Charge["id"]) => Promise<void>;
};

const passed = { outcome: "succeeded", result: "authenticated", eci: "05", shift: true } as const;
const rejected = { outcome: "authentication_failed", shift: false } as const;
const timedOut = {
  outcome: "authentication_timed_out",
  result: "timed_out",
  shift: false,
} as const;

const rows: readonly Row[] = [
  { card: "4000003000000006", what: "frictionless, no method page", ...passed },
  { card: "4000003100000005", what: "frictionless, the method page completes", ...passed },
  { card: "4000003200000004", what: "frictionless, the method page times out", ...passed },
  { card: "4000003110000003", what: "not authenticated", ...rejected, result: "failed", eci: "07" },
  { ...passed, card: "4000003120000001", what: "attempted", result: "attempted", eci: "06" },
  { card: "4000003130000009", what: "rejected", ...rejected, result: "rejected", eci: null },
  {
    ...passed,
    card: "4000003140000007",
    what: "informational only",
    result: "informational",
    eci: "07",
    shift: false,
  },
  {
    ...passed,
    card: "4000003150000004",
    what: "unavailable",
    result: "unavailable",
    eci: "07",
    shift: false,
  },
  {
    ...passed,
    card: "4000003160000002",
    what: "the directory server times out",
    result: "unavailable",
    eci: null,
    shift: false,
  },
  {
    ...passed,
    card: "4000003170000000",
    what: "a challenge that the customer passes",
    act: (page) => enterCode(bankPage(page)),
  },
  { ...passed, card: "4000003171000009", what: "a challenge that passes automatically" },
  {
    ...rejected,
    card: "4000003172000008",
    what: "a challenge that fails automatically",
    result: "failed",
    eci: "07",
  },
  { ...timedOut, card: "4000003173000007", what: "the issuer's page times out", eci: "07" },
  {
    card: "4000003174000006",
    what: "canceled on the issuer's page",
    outcome: "authentication_canceled",
    result: "canceled",
    eci: "07",
    shift: false,
  },
  {
    ...timedOut,
    card: "4000003175000005",
    what: "the RReq never arrives",
    eci: null,
    async act(page, charge) {
      const bank = page.locator("#bank iframe");
      await bank.waitFor();
      await bank.waitFor({ state: "hidden" });
      // End the wait for the RReq, because its time limit of half a minute is too long for a test.
      await query("update authentications set due_at = now() where charge_id = $1", [
        uuidOf(charge),
      ]);
    },
  },
  {
    ...rejected,
    card: "4000003176000004",
    what: "a forged CRes despite a failed RReq",
    result: "failed",
    eci: "07",
  },
  {
    ...timedOut,
    card: "4000003177000003",
    what: "the first CReq never arrives",
    eci: "07",
    async act(page, charge) {
      await page.locator("#bank iframe").waitFor();
      // End the issuer's wait for the CReq, because its time limit of 30 seconds is too long for a test.
      await query(
        "update simulator.challenges set due_at = now() where three_ds_server_transaction_id = $1",
        [uuidOf(charge)],
      );
    },
  },
];

/** The timeout of a journey. Two cards wait ten seconds for the method page or the directory server. */
const maxRowMs = 45_000;

/** The message that the customer sees after each kind of failure. */
const messages: Readonly<Record<string, string>> = {
  authentication_failed: "Your bank could not verify your identity.",
  authentication_canceled: "You canceled the verification.",
  authentication_timed_out: "The verification timed out.",
};

describe("the 3-D Secure family", { concurrency: 4 }, () => {
  for (const row of sample(rows, dose("cards", { short: 3, long: rows.length }))) {
    journey(
      `${row.card}: ${row.what}`,
      async (customer) => {
        const session = await createSession({ amount: 2800 });
        const page = await customer.newPage();
        await page.goto(session.embed_url);
        await pay(page, { number: row.card });
        if (row.act) {
          await page.waitForURL("**/challenge/**");
          await row.act(page, (await onlyCharge(session.id)).id);
        }
        await page
          .getByText(messages[row.outcome] ?? "Payment complete")
          .first()
          .waitFor({ timeout: 60_000 });

        const charge = await onlyCharge(session.id);
        assert.equal(charge.failure_code ?? charge.status, row.outcome);
        const { result, eci, liability_shift } =
          charge.payment_method_details.card.three_d_secure ?? assert.fail("no 3-D Secure");
        assert.deepEqual([result, eci, liability_shift], [row.result, row.eci, row.shift]);
      },
      maxRowMs,
    );
  }
});

async function onlyCharge(session: string): Promise<Charge> {
  const [charge, ...more] = await chargesOf(session);
  assert.ok(charge && more.length === 0);
  return charge;
}
