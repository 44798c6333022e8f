import type { SavedCard } from "@florin/contract/frame.ts";
import { brandName } from "../card/brand.ts";
import { BrandMark } from "./brand-mark.tsx";
import type { Words } from "./locales/words.ts";
import { RadioButton } from "./radio-button.tsx";

type SavedCardsProps = {
  readonly cards: readonly SavedCard[];
  readonly chosen: string | null;
  readonly busy: boolean;
  readonly words: Words;
  readonly choose: (saved: string | null) => void;
};

/** A choice between the customer's saved cards and another card. Renders nothing without saved cards. */
export function SavedCards({ cards, chosen, busy, words, choose }: SavedCardsProps) {
  if (cards.length === 0) return null;
  const choice = (id: string | null) => ({
    group: "card",
    checked: chosen === id,
    busy,
    onChoose: () => choose(id),
  });
  return (
    <fieldset class="choices">
      <legend>{words.savedCards}</legend>
      {cards.map(({ payment_method_id, brand, last4, exp_month, exp_year }) => (
        <RadioButton key={payment_method_id} {...choice(payment_method_id)}>
          {brand !== "unknown" && <BrandMark brand={brand} />}
          <span>
            <bdi>
              {brand !== "unknown" && brandName(brand)} <i aria-hidden="true">••••</i> {last4}
            </bdi>{" "}
            <small>{words.expires(monthOf(exp_month, exp_year))}</small>
          </span>
        </RadioButton>
      ))}
      <RadioButton {...choice(null)}>
        <span>{words.anotherCard}</span>
      </RadioButton>
    </fieldset>
  );
}

/** Formats an expiry date as printed on cards: 04/30. */
function monthOf(month: number, year: number): string {
  return `${String(month).padStart(2, "0")}/${String(year % 100).padStart(2, "0")}`;
}
