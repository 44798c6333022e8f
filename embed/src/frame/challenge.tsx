import { useEffect, useRef, useState } from "preact/hooks";
import { withWayBack } from "../protocol/challenge-address.ts";
import type { FrameMessage, ModalWords } from "../protocol/message.ts";
import type { Checkout } from "./checkout.ts";
import { fitHeight } from "./fit-height.ts";
import type { Words } from "./locales/words.ts";
import { Outcome } from "./outcome.tsx";

/**
 * Where the bank's check stands: over the merchant's page, inside the form, or in our own window. Null while it is not
 * yet known whether a loader is there.
 */
export type ChallengePlace = "overlay" | "inline" | "window" | null;

type ChallengeFacts = {
  readonly url: string | null;
  readonly place: ChallengePlace;
  readonly checkout: Checkout;
  readonly busy: boolean;
  readonly words: Words;
  readonly arrived: boolean;
  readonly tell: (message: FrameMessage) => void;
};

/**
 * The bank's check. The address is on our own origin and that document frames the bank; how it went is learnt from the
 * service, never from a message of that document.
 */
export function Challenge(facts: ChallengeFacts) {
  const { place, words } = facts;
  const url = facts.url === null ? null : inOurLanguage(onOwnOrigin(facts.url));
  if (!url) return <Invitation {...facts} text={words.actionUnavailable} />;
  switch (place) {
    case "overlay":
      return <Overlaid {...facts} url={url} />;
    case "inline":
      return <Inline {...facts} url={url} />;
    case "window":
      return <OwnWindow {...facts} url={url} />;
    case null:
      return <Invitation {...facts} text={words.action} />;
  }
}

/** The same document unseen: it does all that needs nobody, and tells us to look when the customer is to be asked. */
export function Preparation({ url, words }: { url: string; words: Words }) {
  const own = withQuery(onOwnOrigin(url), "prepare", "");
  return own && <iframe hidden title={words.actionTitle} src={own} />;
}

/** The loader lays it over the page as long as this is drawn. */
function Overlaid({ url, tell, ...facts }: ChallengeFacts & { url: string }) {
  const { words } = facts;
  const open = () => tell({ type: "modal.open", url, ...modalWords(words) });
  useEffect(() => {
    open();
    return () => tell({ type: "modal.close" });
  }, [url]);
  return <Invitation {...facts} text={words.action} onContinue={open} />;
}

/** From the form the window goes there by itself; who comes back to this page is asked. */
function OwnWindow({ url, ...facts }: ChallengeFacts & { url: string }) {
  const go = () => location.assign(withWayBack(url, location.hash));
  useEffect(() => {
    if (facts.arrived) go();
  }, [url]);
  return <Invitation {...facts} text={facts.words.action} onContinue={go} />;
}

function Inline({ url, words, ...facts }: ChallengeFacts & { url: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => (frame.current ? fitHeight(frame.current) : undefined), [url]);
  return (
    <div class="challenge">
      <h2>{words.actionTitle}</h2>
      <p>{words.action}</p>
      <iframe ref={frame} title={words.actionTitle} src={url} />
      <Leave {...facts} words={words} />
    </div>
  );
}

type InvitationFacts = Pick<ChallengeFacts, "checkout" | "busy" | "words" | "arrived"> & {
  readonly text: string;
  readonly onContinue?: () => void;
};

function Invitation({ text, onContinue, ...facts }: InvitationFacts) {
  const { words, arrived } = facts;
  return (
    <Outcome tone="calm" glyph="bank" title={words.actionTitle} text={text} arrived={arrived}>
      {onContinue && (
        <button class="way" type="button" onClick={onContinue}>
          {words.actionContinue}
        </button>
      )}
      <Leave {...facts} />
    </Outcome>
  );
}

/** A way out of the check that asks before it takes it. */
function Leave({ checkout, busy, words }: Pick<ChallengeFacts, "checkout" | "busy" | "words">) {
  const [asking, setAsking] = useState(false);
  if (!asking) {
    return (
      <button class="plain" type="button" aria-disabled={busy} onClick={() => setAsking(true)}>
        {words.leave}
      </button>
    );
  }
  return (
    <div class="leave">
      <p>{words.leaveQuestion}</p>
      <button class="way" type="button" autofocus onClick={() => setAsking(false)}>
        {words.stay}
      </button>
      <button
        class="plain"
        type="button"
        aria-disabled={busy}
        onClick={() => void checkout.cancelChallenge()}
      >
        {words.leave}
      </button>
    </div>
  );
}

function modalWords(words: Words): ModalWords {
  const { actionTitle, close, leaveQuestion, stay, leave } = words;
  return { title: actionTitle, close, question: leaveQuestion, stay, leave };
}

/** The document around the bank speaks as this one does. */
function inOurLanguage(url: string | null): string | null {
  const { lang } = document.documentElement;
  return lang ? withQuery(url, "locale", lang) : url;
}

/** Before the fragment, which holds the challenge's secret. */
function withQuery(url: string | null, name: string, value: string): string | null {
  if (!url) return null;
  const address = new URL(url);
  address.searchParams.set(name, value);
  return address.href;
}

function onOwnOrigin(url: string): string | null {
  if (!URL.canParse(url, location.href)) return null;
  const address = new URL(url, location.href);
  return address.origin === location.origin ? address.href : null;
}
