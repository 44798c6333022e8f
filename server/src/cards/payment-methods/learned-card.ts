import type { DeclineCode } from "@florin/contract/declines.ts";
import type { Funding, UpdateReason } from "@florin/contract/payment-method.ts";
import type { AuthorizationDetails } from "../../acquiring/outcome.ts";
import type { MaskedCard } from "./masked-card.ts";

/** The facts about a card that an acquirer's decision contained and the payment method lacks. */
export type LearnedCard = {
  readonly funding: Funding | null;
  /** The issuer's country, ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** The new expiry date, if the issuer has changed it. */
  readonly expiry: { readonly month: number; readonly year: number } | null;
  /** The reason why the customer must enter the card again. Null if the decision gives none. */
  readonly updateReason: UpdateReason | null;
};

/** The declines after which the same card data is never approved, but the customer has or gets a new card. */
const updateReasons: Readonly<Partial<Record<DeclineCode, UpdateReason>>> = {
  expired_card: "expired",
  new_account_information_available: "card_replaced",
};

/** Returns the facts that the payment method lacks, or null if there are none. */
export function learnedCard(
  card: MaskedCard,
  { card: reported, accountUpdate }: AuthorizationDetails,
  decline: DeclineCode | null,
): LearnedCard | null {
  const isNewExpiry =
    accountUpdate?.kind === "expiry_changed" &&
    (accountUpdate.expMonth !== card.exp_month || accountUpdate.expYear !== card.exp_year);
  const learned: LearnedCard = {
    funding: card.funding === "unknown" ? reported.funding : null,
    country: card.country === null ? reported.country : null,
    expiry: isNewExpiry ? { month: accountUpdate.expMonth, year: accountUpdate.expYear } : null,
    updateReason:
      accountUpdate === null
        ? ((decline && updateReasons[decline]) ?? null)
        : accountUpdate.kind === "expiry_changed"
          ? null
          : accountUpdate.kind,
  };
  return Object.values(learned).some((value) => value !== null) ? learned : null;
}
