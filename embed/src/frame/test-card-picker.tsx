import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";
import { testCards, testFields } from "./test-cards.ts";

type PickerFacts = { readonly checkout: Checkout; readonly busy: boolean; readonly words: Words };

export function TestCardPicker({ checkout, busy, words }: PickerFacts) {
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
