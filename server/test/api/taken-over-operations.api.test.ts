import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { OperationKind } from "../../src/acquiring/processor.ts";
import { type ChargeId, newId, uuidOf } from "../../src/core/ids.ts";
import { operationsAtAcquirer } from "../acquirer-operations.ts";
import { closeChecked } from "../close-checked.ts";
import { startShop, until } from "../shop.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const price = { amountMinor: 1999, currency: "usd" } as const;

/**
 * Creates an operation in the state that a crashed server leaves. The server crashed before it sent the request to the
 * acquirer, or before it recorded the response.
 */
async function leaveAfterCrash(
  kind: OperationKind,
  point: "before the acquirer call" | "after the acquirer call",
) {
  const { simulator } = shop;
  const { database } = shop.app;
  const capture_method = kind === "refund" ? "automatic" : "manual";
  const body = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa", capture_method };
  const charge = (await shop.post("/charges", body)).body.id as ChargeId;
  const { account } = shop.merchant;
  const operation = newId("op", shop.clock.now());
  // A heartbeat in the future simulates a server whose clock was ahead.
  const seenInHours = point === "after the acquirer call" ? 24 : -1;
  await database.transaction(async (tx) => {
    const [dead] = await tx<{ number: number }>`
      insert into processes (seen_at) values (now() + make_interval(hours => ${seenInHours}))
      returning number`;
    await tx`
      insert into operations (account_id, livemode, id, charge_id, kind, status, amount, currency, claimed_by, due_at)
      values (${uuidOf(account)}, false, ${uuidOf(operation)}, ${uuidOf(charge)}, ${kind}, 'processing', 1999, 'usd',
              ${dead?.number}, now() + interval '1 hour')`;
    if (kind === "refund") {
      await tx`update charges set amount_refunded = 1999, version = version + 1 where id = ${uuidOf(charge)}`;
    }
  });
  if (point === "after the acquirer call") {
    await simulator.operate({
      account,
      reference: operation,
      charge,
      chargeReference: null,
      kind,
      price,
    });
  }
  return charge;
}

for (const kind of ["capture", "void", "refund"] as const) {
  for (const point of ["before the acquirer call", "after the acquirer call"] as const) {
    test(`a ${kind} whose server crashed ${point} is completed once by another server`, async () => {
      const charge = await leaveAfterCrash(kind, point);
      const end = {
        capture: ({ status }: { status: string }) => status === "succeeded",
        void: ({ status }: { status: string }) => status === "canceled",
        refund: () => true,
      }[kind];
      await until(async () => (await shop.get(`/charges/${charge}`)).body, end);
      await until(
        async () => shop.app.database.read<{ status: string }>`
          select status from operations where charge_id = ${uuidOf(charge)}`,
        ([operation]) => operation?.status === "succeeded",
      );
      assert.deepEqual(await operationsAtAcquirer(shop, charge), [
        { kind, state: "done", amount: 1999 },
      ]);
    });
  }
}
