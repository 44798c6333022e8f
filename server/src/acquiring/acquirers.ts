import type { AssignmentId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Processor, SettlementSource } from "./processor.ts";

/** Finds the acquirer of a charge. Test mode always uses the simulator. */
export type Acquirers = {
  /** Returns the acquirer for a new charge, or null if none accepts it. */
  choose(scope: Scope, price: Money): Processor | null;
  /** Returns the acquirer of an existing charge, or null if its connection has been retired. */
  of(charge: AcquiredCharge): Processor | null;
  /** Returns the acquirer to which the service sends payouts, or null if the acquirer pays the merchant itself. */
  payerOf(scope: Scope): Processor | null;
  /** Returns the source of the account's settlement files, or null if it has no acquirer in this mode. */
  settlementsOf(scope: Scope): SettlementSource | null;
  /** Returns whether the account has an acquirer for new charges in this mode. `charges_enabled` depends on it. */
  isConnected(scope: Scope): boolean;
};

/** The fields of a charge that determine its acquirer. */
export type AcquiredCharge = {
  readonly scope: Scope;
  readonly assignmentId: AssignmentId | null;
};
