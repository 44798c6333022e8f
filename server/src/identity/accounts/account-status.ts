import type { AccountStatus } from "@florin/contract/account.ts";
import { ApiError } from "../../core/api-error.ts";

type Move = { readonly from: readonly AccountStatus[]; readonly to: AccountStatus };

/** The changes of an account's status that an operator can make. A closed account stays closed. */
export const accountTransitions = {
  approve: { from: ["test_only"], to: "approved" },
  suspend: { from: ["approved"], to: "suspended" },
  reinstate: { from: ["suspended"], to: "approved" },
  close: { from: ["test_only", "approved", "suspended"], to: "closed" },
} as const satisfies Record<string, Move>;

export type AccountTransition = keyof typeof accountTransitions;

/** Returns the status after the transition. Throws a 400 that names the required status. */
export function transitionAccount(
  status: AccountStatus,
  transition: AccountTransition,
): AccountStatus {
  const { from, to }: Move = accountTransitions[transition];
  if (from.includes(status)) return to;
  throw new ApiError(
    "status_transition_invalid",
    `The account is '${status}'. It must be ${from.map((one) => `'${one}'`).join(" or ")} for this request.`,
  );
}
