import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./adyen-sdk.fixture.ts";
import { hold, modification, type RunningFake, runFake, sale } from "./running-fake.fixture.ts";

const hour = 60 * 60 * 1000;

/** A linear congruential generator, so that a failure can be reproduced with its seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const names = ["J. Smith", "J. Smith", "DECLINED", "capture failed", "refund failed", "PENDING"];

/** Sends a random request. Errors are expected, because faults cut connections. */
async function randomStep(
  fake: RunningFake,
  random: (below: number) => number,
  step: number,
  payments: string[],
): Promise<void> {
  const { post, control } = fake;
  const reference = `op_${step}`;
  const psp = payments[random(payments.length)] ?? "none";
  const value = 1 + random(1200);
  const path = `/v72/payments/${psp}`;
  switch (random(9)) {
    case 0:
    case 1: {
      const holderName = names[random(names.length)];
      const request = (random(2) === 0 ? sale : hold)(`ch_${step}`, {
        paymentMethod: { holderName },
      });
      const response = await post("/v72/payments", request);
      if (response.body.pspReference) payments.push(response.body.pspReference);
      return;
    }
    case 2:
      await post(`${path}/captures`, modification(reference, value));
      return;
    case 3:
      await post(`${path}/refunds`, modification(reference, value));
      return;
    case 4:
      await post(`${path}/${["cancels", "reversals"][random(2)]}`, modification(reference));
      return;
    case 5:
      await post("/v72/cancels", {
        ...modification(reference),
        paymentReference: `ch_${random(step + 1)}`,
      });
      return;
    case 6: {
      const faults = ["cut_before_response", "html_502", "transient_error", "late_refund_failure"];
      const endpoint = ["payments", "captures", "refunds"][random(3)];
      await control("POST faults", { endpoint, fault: faults[random(faults.length)] });
      return;
    }
    case 7:
      await control("POST clock", { advanceMs: random(40) * hour });
      return;
    case 8: {
      const { disputes } = await control("GET disputes?isDebited=true");
      const open = disputes[0] as Json | undefined;
      if (open && random(2) === 0) {
        await control(`POST disputes/${open.pspReference}/events`, {
          eventCode: "CHARGEBACK_REVERSED",
        });
      } else if (random(2) === 0) {
        await control("POST disputes", { payment: psp, value: 1 + random(100) });
      } else {
        await control("POST settlements", {});
      }
    }
  }
}

for (const seed of [1, 2, 3]) {
  test(`after random operations and faults, the ledger balances and equals the payments (seed ${seed})`, async (t) => {
    const fake = await runFake(t);
    const random = randomNumbers(seed);
    const payments: string[] = [];
    let rejected = 0;
    for (let step = 0; step < 250; step += 1) {
      await randomStep(fake, random, step, payments).catch(() => {
        rejected += 1;
      });
    }
    assert.ok(
      payments.length > 20 && rejected < 100,
      `${payments.length} payments, ${rejected} rejected`,
    );
    await fake.control("POST clock", { advanceMs: 40 * 24 * hour });
    assert.deepEqual(await fake.control("GET ledger/check"), { isBalanced: true, mismatches: [] });
    const { balances } = await fake.control("GET ledger");
    const authorized = balances.find((entry: Json) => entry.account === "authorized");
    assert.equal(authorized.credit, authorized.debit, "every authorization ended");
  });
}
