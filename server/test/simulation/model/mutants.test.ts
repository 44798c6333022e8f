import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startTestPostgres } from "../../database.ts";
import { copyService, mutate } from "../service-copy.ts";

/**
 * Mutations of the behaviour that the model covers. Each text must occur exactly once in its file, below `server/src/`.
 */
const mutants = [
  {
    name: "refunds may exceed what was captured",
    file: "payments/refunds/refusals.ts",
    find: "  if (wanted > left) {",
    replace: "  if (wanted > left + 1) {",
  },
  {
    name: "a refund that failed is never returned to its charge",
    file: "payments/refunds/refund.ts",
    find: "charge: failed ? lend(charge as SucceededCharge, -after.price.amountMinor) : charge,",
    replace: "charge,",
  },
  {
    name: "a capture is not announced",
    file: "payments/charges/hold.ts",
    find: '        announce("payment.captured", paid, before, world),\n',
    replace: "",
  },
  {
    name: "a part is asked for, and the whole is captured",
    file: "payments/charges/hold.ts",
    find: "return { amountMinor: wanted, charge: null };",
    replace: "return { amountMinor: held.price.amountMinor, charge: null };",
  },
  {
    name: "a decision counts for any amount",
    file: "risk/use-decision.ts",
    find: "if (differs.length === 0) return;",
    replace: "if (differs.length <= 1) return;",
  },
  {
    name: "a dispute that is won leaves its charge disputed",
    file: "payments/disputes/move-dispute.ts",
    find: "charge: take(charge, -dispute.price.amountMinor),",
    replace: "charge,",
  },
  {
    name: "more is paid out than is available",
    file: "payments/payouts/create-payout.ts",
    find: "if (available < price.amountMinor) throw",
    replace: "if (available + 50 < price.amountMinor) throw",
  },
  {
    name: "an operation whose answer was lost is taken for done",
    file: "payments/charges/operation.ts",
    find: 'return wait(operation, "outcome_unknown");',
    replace: 'return status === "processing" ? { ...facts, status: "succeeded" } : null;',
  },
];

const postgres = process.env.FLORIN_TEST_POSTGRES ?? (await startTestPostgres()).url;

/** Runs a few sequences against a copy of the service. Returns whether it agreed with the model, and the output. */
async function playAgainst(mutant: (typeof mutants)[number] | null) {
  const copy = await mkdtemp(join(tmpdir(), "florin-model-mutant-"));
  try {
    await copyService(copy);
    if (mutant) await mutate(copy, { ...mutant, misfortune: "", caughtBy: [] });
    const script = join(copy, "server/test/simulation/model/play.ts");
    const options = ["--sequences", "150", "--seed", "1", "--end-at-first"];
    const env = { ...process.env, FLORIN_TEST_POSTGRES: postgres };
    return await new Promise<{ agrees: boolean; said: string }>((resolve) => {
      execFile(process.execPath, [script, ...options], { env, timeout: 240_000 }, (error, said) =>
        resolve({ agrees: error === null, said }),
      );
    });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

test("the service as it is does what its model does", async () => {
  const { agrees, said } = await playAgainst(null);
  assert.ok(agrees, said);
});

describe("sequences show the mutant in which", { concurrency: 2 }, () => {
  for (const mutant of mutants) {
    test(mutant.name, async (t) => {
      const { agrees, said } = await playAgainst(mutant);
      assert.ok(!agrees, "nobody noticed");
      t.diagnostic(
        /(?<=AssertionError \[ERR_ASSERTION\]: ).*/.exec(said)?.[0] ?? said.slice(0, 300),
      );
    });
  }
});
