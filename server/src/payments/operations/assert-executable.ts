import type { Acquirers } from "../../acquiring/acquirers.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Charge } from "../charges/charge.ts";
import type { Operation } from "./operation.ts";

/**
 * Rejects an operation whose amount the acquirer of the charge cannot represent. The operation would otherwise fail with
 * the advice to try again.
 */
export function assertExecutable(
  acquirers: Acquirers,
  charge: Charge,
  { kind, price }: Operation,
): void {
  const { id } = charge;
  const { amountMinor, currency } = price;
  const unit = acquirers.amountUnitOf(charge, currency);
  // A void is sent without an amount.
  if (kind === "void" || amountMinor % unit === 0) return;
  throw new ApiError(
    "parameter_invalid",
    `\`amount\` must be a multiple of ${unit}, because the acquirer of the charge '${id}' accepts no smaller amounts in '${currency}'. Got ${amountMinor}.`,
    { param: "amount", charge: id },
  );
}
