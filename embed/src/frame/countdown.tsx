import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { Words } from "./locales/words.ts";

/** The countdown is shown for the last ten minutes only, so that it does not rush the customer earlier. */
const shownForMs = 10 * 60 * 1000;

type CountdownProps = {
  readonly expiresAtMs: number;
  readonly serverNow: () => Date;
  readonly words: Words;
};

/** Counts down by the server's clock. Screen readers do not announce every second of a `role=timer`. */
export function Countdown({ expiresAtMs, serverNow, words }: CountdownProps) {
  const [, tick] = useState(0);
  const left = expiresAtMs - serverNow().getTime();
  useEffect(() => {
    const wait = left > shownForMs ? Math.min(left - shownForMs, 2_000_000_000) : 1000;
    const timer = setTimeout(() => tick((count) => count + 1), wait);
    return () => clearTimeout(timer);
  });
  if (left > shownForMs) return null;
  return (
    <p class="countdown" role="timer">
      <Icon name="clock" />
      {words.expiresIn(clockText(left))}
    </p>
  );
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
