import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AssignmentId } from "../core/ids.ts";
import type { Currency, Money } from "../core/money.ts";
import type { Scope } from "../core/scope.ts";
import type { WalletGateway } from "../vault/wallets/offered-wallet.ts";
import type { ReadToken } from "./encrypted-token.ts";
import type { Processor, SettlementSource } from "./processor.ts";
import type { Route } from "./routing/route.ts";
import type { CardToAccept, RoutedPayment } from "./routing/routed-payment.ts";

/** The kind of a card number: the number on the card, or a network token that a wallet holds in its place. */
export type CredentialKind = "card" | "network_token";

/** Finds the acquirer of a charge. Test mode always uses the simulator. */
export type Acquirers = {
  /**
   * Returns whether an acquirer accepts a charge of this price to this card. Without `card`, the limits for cards are
   * not checked.
   */
  accepts(scope: Scope, price: Money, card?: CardToAccept): boolean;
  /** Returns the acquirer for a new charge, or null if no acquirer accepts the charge. */
  choose(scope: Scope, payment: RoutedPayment): ChosenAcquirer | null;
  /**
   * Returns the acquirer that verifies a card, or null if no acquirer verifies cards in this currency. Without `card`,
   * the limits for cards are not checked.
   */
  chooseVerifier(scope: Scope, currency: Currency, card?: CardToAccept): CardVerifier | null;
  /**
   * Returns another acquirer for a charge. `tried` contains the assignments whose acquirers did not process the
   * charge, or declined it. Returns null if no other connection accepts the charge.
   */
  chooseNext(
    scope: Scope,
    payment: RoutedPayment,
    tried: readonly AssignmentId[],
  ): Processor | null;
  /** Returns the networks whose cards or network tokens an acquirer of the account accepts for this amount. */
  acceptedNetworks(scope: Scope, price: Money, kind: CredentialKind): readonly CardNetwork[];
  /**
   * Returns the acquirers of the account that decrypt a wallet's tokens themselves and accept the payment, in the order
   * in which they would be tried for the payment.
   */
  walletGateways(scope: Scope, payment: PaymentToOffer): readonly WalletGateway[];
  /**
   * Reads a wallet's token that is encrypted to the acquirer of an assignment. The returned token ID includes the
   * connection's ID. Returns null if the assignment's acquirer does not accept a token of this form. Returns
   * `no_gateway` if the assignment does not accept the payment, or is not one of the account's active assignments.
   */
  readGatewayToken(scope: Scope, token: ReceivedGatewayToken): ReadToken | "no_gateway" | null;
  /** Returns whether the account's declined charges may be sent over another connection. */
  cascades(scope: Scope): boolean;
  /**
   * Returns the acquirer of an existing charge or card verification. Null if its connection is retired, or if the
   * connection's secrets could not be decrypted.
   */
  of(charge: AcquiredCharge): Processor | null;
  /** Returns whether the connection of an existing charge is retired, so that nothing can be sent for the charge. */
  isRetired(charge: AcquiredCharge): boolean;
  /**
   * Returns the smallest amount of the currency that the acquirer of an existing charge can represent, in minor units.
   * Captures and refunds must be multiples of it.
   */
  amountUnitOf(charge: AcquiredCharge, currency: Currency): number;
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

/**
 * The smallest amounts that acquirers can represent, in minor units. An acquirer supports at most two decimals fewer
 * than the currency has.
 */
export const amountUnits: readonly number[] = [1, 10, 100];

/** A payment for which a wallet is offered, before its card is known. */
export type PaymentToOffer = Pick<RoutedPayment, "key" | "price" | "metadata">;

/** A wallet's token as the card form sends it. */
export type ReceivedGatewayToken = {
  readonly assignment: AssignmentId;
  readonly wallet: DigitalWallet;
  readonly price: Money;
  readonly token: string;
};

export type ChosenAcquirer = {
  readonly processor: Processor;
  /** The reasons for the choice. Null if there was nothing to choose: one assignment and no rules, or the simulator. */
  readonly route: Route | null;
};

/** An acquirer that verifies cards. */
export type CardVerifier = Processor & {
  readonly verifyCard: NonNullable<Processor["verifyCard"]>;
};

export function isVerifier(processor: Processor): processor is CardVerifier {
  return processor.verifyCard !== null;
}

/** The fields of an existing charge or card verification that determine its acquirer. */
export type AcquiredCharge = {
  readonly scope: Scope;
  readonly assignmentId: AssignmentId | null;
};
