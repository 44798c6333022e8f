import assert from "node:assert/strict";

/** The modules below `server/src/` whose exports mutants can replace. */
export type Replaceable = {
  "acquiring/adyen/adyen-processor.ts": typeof import("../../src/acquiring/adyen/adyen-processor.ts");
  "acquiring/adyen/requests.ts": typeof import("../../src/acquiring/adyen/requests.ts");
  "acquiring/adyen/responses.ts": typeof import("../../src/acquiring/adyen/responses.ts");
  "acquiring/adyen/webhooks.ts": typeof import("../../src/acquiring/adyen/webhooks.ts");
  "acquiring/idempotency-key.ts": typeof import("../../src/acquiring/idempotency-key.ts");
  "acquiring/live-notification.ts": typeof import("../../src/acquiring/live-notification.ts");
  "acquiring/stripe/responses.ts": typeof import("../../src/acquiring/stripe/responses.ts");
  "acquiring/stripe/wallet-tokens.ts": typeof import("../../src/acquiring/stripe/wallet-tokens.ts");
  "cards/payment-methods/payment-methods.ts": typeof import("../../src/cards/payment-methods/payment-methods.ts");
  "payments/balance/balance.sql.ts": typeof import("../../src/payments/balance/balance.sql.ts");
  "payments/card-verifications/card-verification.ts": typeof import("../../src/payments/card-verifications/card-verification.ts");
  "payments/charges/apply-response.ts": typeof import("../../src/payments/charges/apply-response.ts");
  "payments/charges/call-acquirer.ts": typeof import("../../src/payments/charges/call-acquirer.ts");
  "payments/charges/charge-transition.ts": typeof import("../../src/payments/charges/charge-transition.ts");
  "payments/charges/create-charge.ts": typeof import("../../src/payments/charges/create-charge.ts");
  "payments/charges/inquiry-schedule.ts": typeof import("../../src/payments/charges/inquiry-schedule.ts");
  "payments/commit/changes.ts": typeof import("../../src/payments/commit/changes.ts");
  "payments/commit/commit-transitions.sql.ts": typeof import("../../src/payments/commit/commit-transitions.sql.ts");
  "payments/commit/intents.sql.ts": typeof import("../../src/payments/commit/intents.sql.ts");
  "payments/disputes/transition-dispute.ts": typeof import("../../src/payments/disputes/transition-dispute.ts");
  "payments/ledger/posting-rules.ts": typeof import("../../src/payments/ledger/posting-rules.ts");
  "payments/notifications/acquirer-notification.sql.ts": typeof import("../../src/payments/notifications/acquirer-notification.sql.ts");
  "payments/operations/fail-capture.ts": typeof import("../../src/payments/operations/fail-capture.ts");
  "payments/operations/hold.ts": typeof import("../../src/payments/operations/hold.ts");
  "payments/operations/operation.ts": typeof import("../../src/payments/operations/operation.ts");
  "payments/operations/refund-assertions.ts": typeof import("../../src/payments/operations/refund-assertions.ts");
  "payments/operations/refund.ts": typeof import("../../src/payments/operations/refund.ts");
  "payments/payouts/create-payout.ts": typeof import("../../src/payments/payouts/create-payout.ts");
  "risk/validate-decision.ts": typeof import("../../src/risk/validate-decision.ts");
  "webhooks/events/outbox.sql.ts": typeof import("../../src/webhooks/events/outbox.sql.ts");
};

/**
 * The exports that a mutant replaces, by module and name. Each function receives the original
 * export and returns its replacement. The compiler checks that the export exists and that the types are equal.
 */
export type Replacements = {
  readonly [Path in keyof Replaceable]?: {
    readonly [Name in keyof Replaceable[Path]]?: (
      original: Replaceable[Path][Name],
    ) => Replaceable[Path][Name];
  };
};

export type Mutation = { readonly name: string; readonly replace: Replacements };

/** Returns the names of the exports that a mutation replaces, by module. */
export function namesOf({ replace }: Mutation): [path: string, names: string[]][] {
  return Object.entries(replace).map(([path, names]) => [path, Object.keys(names)]);
}

/** Returns the name of the original export in the changed source. */
const originalOf = (name: string) => `original_${name}`;

/**
 * Returns the module's source with the named exports replaced by the results of `replaced`. Calls within the module
 * also use the replacements. `replacedFrom` is the URL of the module that exports `replaced`.
 */
export function withReplacements(
  text: string,
  { path, names, replacedFrom }: { path: string; names: readonly string[]; replacedFrom: string },
): string {
  let changed = text;
  const added = [`import { replaced as replacedByMutant } from ${JSON.stringify(replacedFrom)};`];
  for (const name of names) {
    const declaration = new RegExp(`^export (const|function|async function) ${name}\\b`, "gm");
    const found = [...changed.matchAll(declaration)];
    assert.equal(found.length, 1, `server/src/${path} declares ${found.length} exports '${name}'.`);
    const [, keyword = ""] = found[0] ?? [];
    const original = originalOf(name);
    changed = changed.replace(declaration, () => `${keyword} ${original}`);
    const replacement = `replacedByMutant(${JSON.stringify(path)}, ${JSON.stringify(name)}, ${original})`;
    // A replaced function is hoisted like the original. A replaced constant is defined at the end of the module.
    added.push(
      keyword === "const"
        ? `export const ${name} = ${replacement};`
        : `export function ${name}(...args) { return ${replacement}(...args); }`,
    );
  }
  return `${changed}\n${added.join("\n")}\n`;
}
