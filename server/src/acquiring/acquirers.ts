import type { CardNetwork } from "@florin/contract/payment-method.ts";
import type { AssignmentId } from "../core/ids.ts";
import type { Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { Processor, SettlementSource } from "./processor.ts";

/** Finds the acquirer of a charge. Test mode always uses the simulator. */
export type Acquirers = {
  /**
   * Returns the acquirer for a new charge, or null if no acquirer accepts the charge. Without `card`, only the price is
   * checked.
   */
  choose(scope: Scope, price: Money, card?: RoutedCard): Processor | null;
  /**
   * Returns another acquirer for a charge that the acquirers of the assignments in `tried` did not process. Returns
   * null if no other connection accepts the charge.
   */
  chooseNext(
    scope: Scope,
    price: Money,
    card: RoutedCard,
    tried: readonly AssignmentId[],
  ): Processor | null;
  /** Returns whether an acquirer of the account accepts network tokens for payments of this amount. */
  acceptsNetworkTokens(scope: Scope, price: Money): boolean;
  /** Returns the acquirer of an existing charge, or null if the connection of the charge has been retired. */
  of(charge: AcquiredCharge): Processor | null;
  /** Returns the acquirer to which the service sends payouts, or null if the acquirer pays the merchant itself. */
  payerOf(scope: Scope): Processor | null;
  /** Returns the source of the account's settlement files, or null if the account has no acquirer in this mode. */
  settlementsOf(scope: Scope): SettlementSource | null;
  /**
   * Returns whether the account has an acquirer for new charges in this mode. The result determines `charges_enabled`,
   * together with the account's status.
   */
  isConnected(scope: Scope): boolean;
};

/** The properties of a card that determine the acquirer of a new charge. */
export type RoutedCard = {
  readonly networks: {
    readonly available: readonly CardNetwork[];
    readonly preferred: CardNetwork | null;
  };
  /** The issuer's country: ISO 3166-1 alpha-2. Null if the country is unknown. */
  readonly country: string | null;
  /** True if the number is a network token. Defaults to false. */
  readonly isNetworkToken?: boolean;
};

/** The fields of an existing charge that determine its acquirer. */
export type AcquiredCharge = {
  readonly scope: Scope;
  readonly assignmentId: AssignmentId | null;
};
