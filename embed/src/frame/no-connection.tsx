import type { Language } from "./locales/choose-locale.ts";
import { noConnectionWords } from "./locales/no-connection.ts";
import { StatusScreen } from "./status-screen.tsx";

type NoConnectionProps = {
  readonly language: Language;
  readonly retry: () => void;
};

/**
 * The screen that is shown without a connection. It closes automatically when the connection returns. The button
 * retries immediately.
 */
export function NoConnection({ language, retry }: NoConnectionProps) {
  const words = noConnectionWords[language];
  return (
    <main class="card">
      <StatusScreen tone="calm" glyph="alert" title={words.title} text={words.text} arrived={false}>
        <button class="way" type="button" onClick={retry}>
          {words.retry}
        </button>
      </StatusScreen>
    </main>
  );
}
