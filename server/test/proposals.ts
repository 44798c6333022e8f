import { uuidOf } from "../src/core/ids.ts";
import { acceptingAcquirer } from "./connection.ts";
import { createPerson, type TestPerson } from "./person.ts";
import { type Shop, startShop } from "./shop.ts";

export const reason = "Agreed with the merchant on the phone.";

/** New terms that an operator proposes for an account. */
export const proposedTerms = {
  fee_basis_points: 140,
  requests_per_second: null,
  amounts: { usd: { fixed_fee: 25, dispute_fee: 1_000 } },
};

/** Starts a service in which sensitive operations require a second operator. */
export const startFourEyesShop = () =>
  startShop({ fourEyes: true, testConnection: acceptingAcquirer });

/** Confirms a proposal. `key` is the new HMAC key that a proposal to replace secrets requires. */
export const confirm = (by: TestPerson, id: string, key?: string) =>
  by.send("POST", `/operator/v1/proposals/${id}/confirm`, { hmac_key: key });

/** Rejects a proposal, or withdraws it if the operator made it. */
export const dismiss = (by: TestPerson, id: string) =>
  by.send("POST", `/operator/v1/proposals/${id}/dismiss`, {});

/** Creates operators, and reads what the service stored about proposals. */
export function createProposalClient(shop: Shop) {
  const { database } = shop.app;
  const createOperator = () => createPerson(shop, { operator: true, secondFactor: true });

  return {
    createOperator,
    /** Creates the operator who proposes, and the one who decides. */
    createOperators: async () => [await createOperator(), await createOperator()] as const,
    /** Returns the stored status. Responses show an expired proposal as `expired` before this status is stored. */
    async statusOf(proposal: string): Promise<string | undefined> {
      const [row] = await database.read<{ status: string }>`
        select status from operator_proposals where id = ${uuidOf(proposal as `prop_${string}`)}`;
      return row?.status;
    },
    /** Returns the actions of the proposal's audit entries, oldest first. */
    async actionsOn(proposal: string): Promise<string[]> {
      const rows = await database.read<{ action: string }>`
        select action from audit_log where object_id = ${proposal} order by number`;
      return rows.map(({ action }) => action);
    },
  };
}
