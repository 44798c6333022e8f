import assert from "node:assert/strict";
import { test } from "node:test";
import { isTest, readSources, withoutComments } from "./source-tree.ts";

/**
 * The files that may decrypt a card, by the function that they call. A charge, an authentication or a decision is
 * itself the record of the access (docs/operating/audit-log.md). Any other caller must write an audit entry (PCI DSS
 * 10.2.1.1).
 */
const callers: Readonly<
  Record<string, { readonly call: RegExp; readonly files: readonly string[] }>
> = {
  "reading a card of the vault": {
    call: /\bvault\.readWithoutCode\(/,
    files: ["server/src/cards/payment-methods/payment-methods.ts"],
  },
  "finding a payment method with its card": {
    call: /\bpaymentMethods\.find(?:InUse)?\(/,
    files: [
      "server/src/payments/three-d-secure/authenticate-charge.ts",
      "server/src/payments/charges/prepare-charge.ts",
      "server/src/payments/checkout/prepare-confirmation.ts",
      "server/src/payments/checkout/prepare-verification.ts",
      "server/src/risk/decision.routes.ts",
    ],
  },
  "decrypting the encrypted form of a card": {
    call: /\bdecryptEnvelope\(/,
    files: ["server/src/vault/envelope-encryption.ts", "server/src/vault/vault.ts"],
  },
};

const sources = readSources().filter(
  ({ path }) => /^(server\/src|cli)\//.test(path) && !isTest(path),
);

for (const [what, { call, files }] of Object.entries(callers)) {
  test(`card data is decrypted only where the access is recorded: ${what}`, () => {
    const found = sources.filter((source) => call.test(withoutComments(source)));
    assert.deepEqual(found.map(({ path }) => path).sort(), [...files].sort());
  });
}
