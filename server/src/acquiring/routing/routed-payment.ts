import type { CardNetwork, DigitalWallet } from "@florin/contract/payment-method.ts";
import type { AssignmentId } from "../../core/ids.ts";
import type { Money } from "../../core/money.ts";

/** The properties of a payment that determine its acquirer. */
export type RoutedPayment = {
  /**
   * The key of weighted splits: the ID of the charge. Payments with the same key take the same target. Null orders the
   * targets by weight, for a simulation.
   */
  readonly key: string | null;
  readonly price: Money;
  readonly card: RoutedCard;
  readonly metadata: Readonly<Record<string, string>>;
};

/** The properties of a card that determine which acquirers accept it. */
export type CardToAccept = Omit<RoutedCard, "funding">;

/** The properties of a card that determine its acquirer. */
export type RoutedCard = {
  readonly networks: {
    readonly available: readonly CardNetwork[];
    readonly preferred: CardNetwork | null;
  };
  /** The issuer's country: ISO 3166-1 alpha-2. Null if the country is unknown. */
  readonly country: string | null;
  readonly funding: string;
  /** True if the number is a network token. Defaults to false. */
  readonly isNetworkToken?: boolean;
  /** The wallet of a token that only an acquirer can decrypt. Absent for a card number. */
  readonly gatewayWallet?: DigitalWallet;
  /** The only assignment over which the payment may be sent. Absent if it may be sent over any. */
  readonly onlyAssignment?: AssignmentId;
};

/** The card of a wallet's token that only an acquirer can decrypt. Nothing is known about it before the payment. */
export function gatewayCard(wallet: DigitalWallet): RoutedCard {
  return {
    networks: { available: [], preferred: null },
    country: null,
    funding: "unknown",
    gatewayWallet: wallet,
  };
}
