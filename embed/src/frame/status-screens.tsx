import { useEffect } from "preact/hooks";
import type { FrameMessage } from "../protocol/message.ts";
import type { ServedSession } from "./api.ts";
import { Challenge, type ChallengePlace, Preparation } from "./challenge.tsx";
import type { Checkout } from "./checkout.ts";
import type { Words } from "./locales/words.ts";
import type { Screen } from "./screen.ts";
import { StatusScreen } from "./status-screen.tsx";
import type { Surface } from "./surface.ts";

type StatusScreensProps = {
  readonly screen: Screen;
  readonly session: ServedSession;
  /** Null if the session had ended before the page was opened. The service then omits the amount. */
  readonly amount: string | null;
  readonly surface: Surface;
  readonly arrived: boolean;
  readonly words: Words;
  /** The message that is shown when the payment takes longer than usual. Null until then. */
  readonly delay: string | null;
  readonly challenge: {
    readonly place: ChallengePlace;
    readonly checkout: Checkout;
    readonly busy: boolean;
    readonly notifyPage: (message: FrameMessage) => void;
  };
};

/** The delay before the redirect, so that the customer can read that the payment succeeded. */
const readingTimeMs = 1800;

/** Renders every screen except the form. */
export function StatusScreens(props: StatusScreensProps) {
  const { screen, session, amount, surface, arrived, words, delay } = props;
  const merchant = session.merchant_name;
  const back = "backUrl" in screen && screen.backUrl && (
    <ExitLink href={screen.backUrl}>{words.back(merchant)}</ExitLink>
  );
  switch (screen.name) {
    case "form":
      return null;
    case "processing":
    case "preparing":
      return (
        <StatusScreen
          tone="calm"
          glyph={null}
          title={words.processingTitle}
          text={words.processing}
          arrived={arrived}
        >
          {delay && <p class="waiting">{delay}</p>}
          {screen.name === "preparing" && <Preparation url={screen.url} words={words} />}
        </StatusScreen>
      );
    case "requires_action":
      return <Challenge {...props.challenge} url={screen.url} words={words} arrived={arrived} />;
    case "complete":
      return (
        <StatusScreen
          tone="good"
          glyph="check"
          title={screen.authorizedOnly ? words.authorizedTitle : words.completeTitle}
          text={
            amount === null && session.mode === "payment"
              ? ""
              : (screen.authorizedOnly ? words.authorized : words.complete)(amount ?? "", merchant)
          }
          arrived={arrived}
        >
          <BankWords session={session} />
          {/* Renders no link in a frame, because the embedding page receives the outcome and decides where to go. */}
          {surface === "page" && screen.continueUrl && (
            <ContinueLink href={screen.continueUrl} merchant={merchant} words={words} />
          )}
        </StatusScreen>
      );
    case "expired":
      return (
        <StatusScreen
          tone="calm"
          glyph="clock"
          title={words.expiredTitle}
          text={words.expired}
          arrived={arrived}
        >
          {back}
        </StatusScreen>
      );
    case "canceled":
      return (
        <StatusScreen
          tone="calm"
          glyph="cross"
          title={words.canceledTitle}
          text={words.canceled}
          arrived={arrived}
        >
          {back}
        </StatusScreen>
      );
    case "failed":
      return (
        <StatusScreen
          tone="bad"
          glyph="alert"
          title={words.failedTitle}
          text={words.failed}
          arrived={arrived}
        >
          <BankWords session={session} />
          {back}
        </StatusScreen>
      );
  }
}

/** The issuer's message to the cardholder must be shown verbatim (EMV 3-D Secure). */
function BankWords({ session }: Pick<StatusScreensProps, "session">) {
  return session.bank_message ? <p>“{session.bank_message}”</p> : null;
}

/** A link that opens in the top-level window, even from a frame. */
function ExitLink({ href, children }: { href: string; children: string }) {
  return (
    <a class="way" href={href} target="_top" rel="noreferrer">
      {children}
    </a>
  );
}

function ContinueLink({ href, merchant, words }: { href: string; merchant: string; words: Words }) {
  useEffect(() => {
    // Replace the history entry, so that the back button on the shop's page does not return to a page that redirects
    // again.
    const timer = setTimeout(() => location.replace(href), readingTimeMs);
    return () => clearTimeout(timer);
  }, [href]);
  return (
    <>
      <p class="going">{words.goingBack(merchant)}</p>
      <ExitLink href={href}>{words.continue(merchant)}</ExitLink>
    </>
  );
}
