import assert from "node:assert/strict";
import { test } from "node:test";
import {
  defaultDeliverySettings,
  deliverySettingsOf,
  mayDeliver,
} from "../../webhooks/delivery/delivery-deps.ts";
import { shareOf } from "./siblings.ts";

test("the parts of a limit add up to the limit", () => {
  for (let count = 1; count <= 64; count++) {
    for (const limit of [1, 8, 32, 300, 1_000]) {
      const parts = Array.from({ length: count }, (_, index) =>
        shareOf(limit, { index, count, primary: null }),
      );
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0),
        limit,
      );
      assert.ok(Math.max(...parts) - Math.min(...parts) <= 1);
    }
  }
});

test("the webhook delivery limits of all processes add up to the limits of a single process", () => {
  for (const count of [1, 2, 3, 4, 7, 8, 9, 64]) {
    const delivering = Array.from({ length: count }, (_, index) => ({
      index,
      count,
      primary: null,
    })).filter(mayDeliver);
    const sumOf = (name: keyof typeof defaultDeliverySettings) =>
      delivering.reduce((sum, siblings) => sum + deliverySettingsOf(siblings)[name], 0);
    for (const name of [
      "maxInFlight",
      "maxInFlightPerAccount",
      "maxInFlightPerEndpoint",
      "maxInFlightPerFastEndpoint",
      "maxHeld",
    ] as const) {
      assert.equal(sumOf(name), defaultDeliverySettings[name], `${name} of ${count} processes`);
    }
    for (const siblings of delivering) {
      assert.ok(deliverySettingsOf(siblings).maxInFlightPerEndpoint >= 1);
    }
  }
});
