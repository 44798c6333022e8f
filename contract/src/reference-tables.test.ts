import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type DeclineDescription, declineCodes } from "./declines.ts";
import { type ErrorDescription, errorCodes } from "./errors.ts";
import { keyPermissions } from "./permissions.ts";
import {
  currencyReference,
  declineReference,
  errorReference,
  eventReference,
  permissionReference,
} from "./reference-tables.ts";
import { roles } from "./roles.ts";

const printed = (name: string) =>
  readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), "utf8");

test("the printed reference pages match the tables (else run contract/print-reference.ts)", () => {
  assert.equal(printed("errors.md"), errorReference());
  assert.equal(printed("declines.md"), declineReference());
  assert.equal(printed("events.md"), eventReference());
  assert.equal(printed("permissions.md"), permissionReference());
  assert.equal(printed("currencies.md"), currencyReference());
});

test("each error type has the status in the specification", () => {
  const statuses: Record<string, number[]> = {};
  for (const { type, status } of Object.values<ErrorDescription>(errorCodes)) {
    statuses[type] = [...new Set([...(statuses[type] ?? []), status])].sort();
  }
  assert.deepEqual(statuses, {
    authentication_error: [401],
    invalid_request_error: [400, 403, 404, 405, 413, 415],
    card_error: [402],
    rate_limit_error: [429],
    idempotency_error: [422],
    api_error: [500, 503],
  });
});

test("roles that can create keys have every key permission, and keys cannot have the permissions of people only", () => {
  for (const { permissions } of Object.values(roles)) {
    if (!permissions.has("keys:write")) continue;
    for (const permission of keyPermissions) assert.ok(permissions.has(permission), permission);
  }
  assert.ok(
    !keyPermissions.some((permission) =>
      /^(keys|team|application|audit|settings):/.test(permission),
    ),
  );
});

test("every card error with an issuer response is also a decline code that maps to itself", () => {
  // `card_declined` covers several decline codes. `blocked_by_decision` comes from no issuer and has the decline code
  // `fraudulent`.
  const others = ["card_declined", "blocked_by_decision"];
  const table: Record<string, DeclineDescription> = declineCodes;
  for (const [code, { type }] of Object.entries<ErrorDescription>(errorCodes)) {
    if (type !== "card_error" || others.includes(code)) continue;
    const decline = table[code];
    assert.ok(decline, code);
    const leadsBack = decline.errorCode === code;
    assert.ok(leadsBack, `${code} has no error code ${decline.errorCode}`);
  }
});

test("customer messages do not reveal why the issuer suspects fraud", () => {
  const generic = declineCodes.generic_decline.customerMessage;
  for (const code of [
    "lost_card",
    "stolen_card",
    "pickup_card",
    "fraudulent",
    "restricted_card",
    "card_decline_rate_limit_exceeded",
  ] as const) {
    assert.equal(declineCodes[code].customerMessage, generic, code);
  }
  for (const [code, { customerMessage }] of Object.entries(declineCodes)) {
    assert.doesNotMatch(customerMessage, /lost|stolen|fraud|block|risk|suspect/i, code);
  }
});

test("advice never recommends retrying a decline that must not be retried", () => {
  for (const [code, { retry, adviceCode }] of Object.entries<DeclineDescription>(declineCodes)) {
    if (retry === "never") assert.notEqual(adviceCode, "try_again_later", code);
    if (adviceCode === "do_not_try_again") assert.equal(retry, "never", code);
  }
});
