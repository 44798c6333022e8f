import assert from "node:assert/strict";
import type { AccountId } from "../../src/core/ids.ts";
import { createPerson, type TestPerson } from "../person.ts";
import type { Shop } from "../shop.ts";
import { acceptGatewayTokens } from "../wallet.ts";
import type { CaseMerchant } from "./acquirer-under-test.ts";

/**
 * The number of merchants that share a connection. The faults of their requests are too few to open its circuit
 * breaker.
 */
const merchantsPerConnection = 4;

export type MerchantConnector<Connection> = {
  /** Creates and activates a connection, as an operator does. */
  createConnection(operator: TestPerson): Promise<Connection>;
  /** Creates the merchant's own account at the acquirer, so that a fault affects no other case. Returns its name. */
  createAccount(merchant: AccountId, connection: Connection): Promise<string>;
};

/** Creates merchants with live keys, and assigns each one to a connection. */
export async function connectMerchants<Connection extends { readonly id: string }>(
  shop: Shop,
  count: number,
  { createConnection, createAccount }: MerchantConnector<Connection>,
): Promise<readonly CaseMerchant[]> {
  const operator = await createPerson(shop, { operator: true, secondFactor: true });

  async function connectMerchant(connection: Connection): Promise<CaseMerchant> {
    const { account } = await shop.createMerchant({ status: "approved" });
    const assigned = await operator.send("POST", "/operator/v1/assignments", {
      account,
      connection: connection.id,
      merchant_account: await createAccount(account, connection),
      mcc: "5941",
      reason: "Agreed with the merchant.",
    });
    assert.equal(assigned.status, 201, assigned.text);
    await acceptGatewayTokens(shop, account);
    const { secret: key } = await shop.issueKey(account, true);
    return { account, key, assignment: assigned.body.id };
  }

  const merchants: CaseMerchant[] = [];
  while (merchants.length < count) {
    const connection = await createConnection(operator);
    const size = Math.min(merchantsPerConnection, count - merchants.length);
    const group = Array.from({ length: size }, () => connectMerchant(connection));
    merchants.push(...(await Promise.all(group)));
  }
  return merchants;
}
