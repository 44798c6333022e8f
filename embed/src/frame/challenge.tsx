import { useEffect, useRef } from "preact/hooks";
import { fitHeight } from "./fit-height.ts";
import { Outcome } from "./outcome.tsx";
import type { Words } from "./words.ts";

type ChallengeFacts = {
  readonly url: string | null;
  readonly words: Words;
  readonly arrived: boolean;
};

/**
 * The bank's check, framed. The address is on our own origin and that document frames the bank; how it went is learnt from
 * the service, never from a message of the frame.
 */
export function Challenge({ url, words, arrived }: ChallengeFacts) {
  const own = url === null ? null : onOwnOrigin(url);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => (frame.current ? fitHeight(frame.current) : undefined), [own]);
  if (!own) {
    return (
      <Outcome
        tone="calm"
        glyph="bank"
        title={words.actionTitle}
        text={words.actionUnavailable}
        arrived={arrived}
      />
    );
  }
  return (
    <div class="challenge">
      <h2>{words.actionTitle}</h2>
      <p>{words.action}</p>
      <iframe ref={frame} title={words.actionTitle} src={own} />
    </div>
  );
}

function onOwnOrigin(url: string): string | null {
  if (!URL.canParse(url, location.href)) return null;
  const address = new URL(url, location.href);
  return address.origin === location.origin ? address.href : null;
}
