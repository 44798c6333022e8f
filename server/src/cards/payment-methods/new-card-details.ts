import type { DeclineCode } from "@florin/contract/declines.ts";
import type { CardBrand, Funding, UpdateReason } from "@florin/contract/payment-method.ts";
import type { AuthorizationDetails, CardExpiry } from "../../acquiring/outcome.ts";
import { isNumbered, type MaskedCard } from "./masked-card.ts";

/** The card details that the payment method lacks and the acquirer returned with its decision. */
export type NewCardDetails = {
  readonly funding: Funding | null;
  /** The issuer's country, ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /**
   * The new expiry date, if the issuer has changed it. For a card without a number in the vault, the first reported
   * expiry date.
   */
  readonly expiry: CardExpiry | null;
  /** The network and the last four digits of a card without a number in the vault. */
  readonly brand: CardBrand | null;
  readonly last4: string | null;
  /** The reason why the customer must enter the card again. Null if the decision gives none. */
  readonly updateReason: UpdateReason | null;
};

/**
 * The update reasons by decline code. Contains only the declines that say that the stored number or expiry date is out
 * of date. Other declines, such as `lost_card`, do not say whether the customer has a new card.
 */
const updateReasons: Readonly<Partial<Record<DeclineCode, UpdateReason>>> = {
  expired_card: "expired",
  new_account_information_available: "card_replaced",
};

/** Returns the details that the payment method lacks, or null if there are none. */
export function newCardDetails(
  card: MaskedCard,
  { card: reported, accountUpdate }: AuthorizationDetails,
  decline: DeclineCode | null,
): NewCardDetails | null {
  const update =
    accountUpdate?.kind === "expiry_changed"
      ? { month: accountUpdate.expMonth, year: accountUpdate.expYear }
      : null;
  const expiry = update ?? (card.exp_month === null ? reported.expiry : null);
  const isNewExpiry = expiry?.month !== card.exp_month || expiry?.year !== card.exp_year;
  const newDetails: NewCardDetails = {
    funding: card.funding === "unknown" ? reported.funding : null,
    country: card.country === null ? reported.country : null,
    expiry: isNewExpiry ? expiry : null,
    brand: !isNumbered(card) && card.brand === "unknown" ? reported.brand : null,
    last4: card.last4 === null ? reported.last4 : null,
    updateReason:
      accountUpdate === null
        ? ((decline && updateReasons[decline]) ?? null)
        : accountUpdate.kind === "expiry_changed"
          ? null
          : accountUpdate.kind,
  };
  return Object.values(newDetails).some((value) => value !== null) ? newDetails : null;
}

/**
 * Returns the card with the details that identify it to the customer. Only a card without a number in the vault lacks
 * them, so every other card stays unchanged.
 */
export function withIdentity(card: MaskedCard, newDetails: NewCardDetails | null): MaskedCard {
  if (isNumbered(card) || newDetails === null) return card;
  const { brand, last4, expiry, funding, country } = newDetails;
  return {
    ...card,
    brand: brand ?? card.brand,
    last4: last4 ?? card.last4,
    exp_month: expiry?.month ?? card.exp_month,
    exp_year: expiry?.year ?? card.exp_year,
    funding: funding ?? card.funding,
    country: country ?? card.country,
  };
}
