import { useEffect, useRef, useState } from "preact/hooks";
import { withReturnFragment } from "../protocol/challenge-url.ts";
import type { FrameMessage, ModalWords } from "../protocol/message.ts";
import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";
import { StatusScreen } from "./status-screen.tsx";

/**
 * The place where the challenge is shown: in an overlay over the merchant's page, inside the form, or in the top-level
 * window. Null until the frame has found out whether the loader is present.
 */
export type ChallengePlace = "overlay" | "inline" | "window" | null;

type ChallengeProps = {
  readonly url: string | null;
  readonly place: ChallengePlace;
  readonly checkout: Checkout;
  readonly busy: boolean;
  readonly words: Words;
  readonly arrived: boolean;
  readonly notifyPage: (message: FrameMessage) => void;
};

/**
 * Shows the challenge document, which is on Florin's origin and frames the issuer's page. The form reads the outcome
 * from the service, never from a message of the challenge document.
 */
export function Challenge(props: ChallengeProps) {
  const { place, words } = props;
  const url = props.url === null ? null : withDocumentLanguage(sameOriginUrl(props.url));
  if (!url) return <ContinuePrompt {...props} text={words.actionUnavailable} />;
  switch (place) {
    case "overlay":
      return <OverlayChallenge {...props} url={url} />;
    case "inline":
      return <Inline {...props} url={url} />;
    case "window":
      return <WindowChallenge {...props} url={url} />;
    case null:
      return <ContinuePrompt {...props} text={words.action} />;
  }
}

/**
 * Runs the challenge document in a hidden frame. The document performs all steps that need no interaction, and signals
 * when the customer must interact.
 */
export function Preparation({ url, words }: { url: string; words: Words }) {
  const own = withQuery(sameOriginUrl(url), "prepare", "");
  return own && <iframe hidden title={words.actionTitle} src={own} />;
}

/** Opens the loader's overlay while this component is mounted. */
function OverlayChallenge({ url, notifyPage, ...props }: ChallengeProps & { url: string }) {
  const { words } = props;
  const open = () => notifyPage({ type: "modal.open", url, ...modalWords(words) });
  useEffect(() => {
    open();
    return () => notifyPage({ type: "modal.close" });
  }, [url]);
  return <ContinuePrompt {...props} text={words.action} onContinue={open} />;
}

/**
 * Redirects the window from the form to the challenge. A customer who returns to the form must press a button to be
 * redirected again.
 */
function WindowChallenge({ url, ...props }: ChallengeProps & { url: string }) {
  const go = () => location.assign(withReturnFragment(url, location.hash));
  useEffect(() => {
    if (props.arrived) go();
  }, [url]);
  return <ContinuePrompt {...props} text={props.words.action} onContinue={go} />;
}

function Inline({ url, words, ...props }: ChallengeProps & { url: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [confirming, setConfirming] = useState(false);
  useEffect(() => (frame.current ? fitHeight(frame.current) : undefined), [url]);
  return (
    <div class="challenge">
      <h2>{words.actionTitle}</h2>
      <p>{words.action}</p>
      <iframe ref={frame} title={words.actionTitle} src={url} inert={confirming} />
      <CancelButton {...props} words={words} onConfirming={setConfirming} />
    </div>
  );
}

type ContinuePromptProps = Pick<ChallengeProps, "checkout" | "busy" | "words" | "arrived"> & {
  readonly text: string;
  readonly onContinue?: () => void;
};

function ContinuePrompt({ text, onContinue, ...props }: ContinuePromptProps) {
  const { words, arrived } = props;
  return (
    <StatusScreen tone="calm" glyph="bank" title={words.actionTitle} text={text} arrived={arrived}>
      {onContinue && (
        <button class="way" type="button" onClick={onContinue}>
          {words.actionContinue}
        </button>
      )}
      <CancelButton {...props} />
    </StatusScreen>
  );
}

type CancelButtonProps = Pick<ChallengeProps, "checkout" | "busy" | "words"> & {
  /** Called with true when the confirmation appears, and with false when it disappears. */
  readonly onConfirming?: (confirming: boolean) => void;
};

/** A button that cancels the challenge after a confirmation. */
function CancelButton({ checkout, busy, words, onConfirming }: CancelButtonProps) {
  const [confirming, setConfirming] = useState(false);
  useEffect(() => onConfirming?.(confirming), [confirming]);
  if (!confirming) {
    return (
      <button class="plain" type="button" aria-disabled={busy} onClick={() => setConfirming(true)}>
        {words.leave}
      </button>
    );
  }
  return (
    <div class="leave">
      <p>{words.leaveConfirmation}</p>
      <button class="way" type="button" autofocus onClick={() => setConfirming(false)}>
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
  const { actionTitle, close, leaveConfirmation, stay, leave } = words;
  return { title: actionTitle, close, question: leaveConfirmation, stay, leave };
}

/** Adds the language of the card form to the URL of the challenge document. */
function withDocumentLanguage(url: string | null): string | null {
  const { lang } = document.documentElement;
  return lang ? withQuery(url, "locale", lang) : url;
}

/** Inserts a query parameter before the fragment, which holds the challenge's secret. */
function withQuery(url: string | null, name: string, value: string): string | null {
  if (!url) return null;
  const address = new URL(url);
  address.searchParams.set(name, value);
  return address.href;
}

function sameOriginUrl(url: string): string | null {
  if (!URL.canParse(url, location.href)) return null;
  const address = new URL(url, location.href);
  return address.origin === location.origin ? address.href : null;
}

/**
 * Keeps a same-origin frame as tall as its document, including after navigations. The issuer's page inside that
 * document is cross-origin and cannot be measured.
 */
function fitHeight(frame: HTMLIFrameElement): () => void {
  const observer = new ResizeObserver(resize);

  function resize(): void {
    const content = frame.contentDocument?.documentElement;
    if (!content) return;
    const edges = frame.offsetHeight - frame.clientHeight;
    frame.style.height = `${Math.ceil(content.getBoundingClientRect().height) + edges}px`;
  }

  function watch(): void {
    observer.disconnect();
    const content = frame.contentDocument?.documentElement;
    if (!content) return;
    observer.observe(content);
    resize();
  }

  frame.addEventListener("load", watch);
  return () => {
    frame.removeEventListener("load", watch);
    observer.disconnect();
  };
}
