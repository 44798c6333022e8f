import type { CardFields } from "../card/card-fields.ts";
import { formatNumber } from "../card/number.ts";
import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";

type TestCardPickerProps = {
  readonly checkout: Checkout;
  readonly busy: boolean;
  readonly words: Words;
};

export function TestCardPicker({ checkout, busy, words }: TestCardPickerProps) {
  return (
    <section class="picker" aria-label={words.testMode}>
      <p>
        <span class="badge">{words.testMode}</span> {words.testCards}
      </p>
      <div class="chips">
        {testCards.map(({ label, number }) => (
          <button
            key={number}
            type="button"
            dir="ltr"
            lang="en"
            class="chip"
            aria-disabled={busy}
            onClick={() => checkout.fill(testFields(number, checkout.serverNow()))}
          >
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}

/**
 * The test cards in the picker, one for each outcome that a shop tests first. The documentation lists all test cards.
 */
const testCards = [
  { label: "Success", number: "4242424242424242" },
  { label: "Declined", number: "4000000000000002" },
  { label: "Insufficient funds", number: "4000000000009995" },
  { label: "3-D Secure", number: "4000002760003184" },
] as const;

/** Returns the field values for a test card. Test mode accepts any future expiry date and any security code. */
function testFields(number: string, now: Date): CardFields {
  const year = String((now.getFullYear() + 3) % 100).padStart(2, "0");
  return {
    number: formatNumber(number),
    expiry: `12 / ${year}`,
    cvc: "123",
    name: "Test Customer",
    postal_code: "10001",
  };
}
