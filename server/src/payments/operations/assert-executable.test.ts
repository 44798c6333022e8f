import assert from "node:assert/strict";
import { test } from "node:test";
import type { Acquirers } from "../../acquiring/acquirers.ts";
import type { Charge } from "../charges/charge.ts";
import { assertExecutable } from "./assert-executable.ts";
import type { Operation } from "./operation.ts";

const charge = { id: "ch_1" } as unknown as Charge;
const refund = {
  kind: "refund",
  price: { amountMinor: 100, currency: "usd" },
} as unknown as Operation;
const acquirers = (isRetired: boolean) =>
  ({ of: () => null, isRetired: () => isRetired, amountUnitOf: () => 1 }) as unknown as Acquirers;

test("a refund is accepted while the secrets of the connection cannot be decrypted", () => {
  assertExecutable(acquirers(false), charge, refund);
});

test("400: a refund is rejected if the connection is retired", () => {
  assert.throws(() => assertExecutable(acquirers(true), charge, refund), {
    code: "connector_not_configured",
  });
});
