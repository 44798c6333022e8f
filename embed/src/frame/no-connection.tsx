import type { Language } from "./locales/choose-locale.ts";
import { noConnectionWords } from "./locales/no-connection.ts";
import { Outcome } from "./outcome.tsx";

type NoConnectionFacts = {
  readonly language: Language;
  readonly retry: () => void;
};

/** It goes away by itself when the connection is back; the button is for who does not want to wait. */
export function NoConnection({ language, retry }: NoConnectionFacts) {
  const words = noConnectionWords[language];
  return (
    <main class="card">
      <Outcome tone="calm" glyph="alert" title={words.title} text={words.text} arrived={false}>
        <button class="way" type="button" onClick={retry}>
          {words.retry}
        </button>
      </Outcome>
    </main>
  );
}
