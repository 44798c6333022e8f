import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FrameMessage } from "../protocol/message.ts";
import { formatAmount } from "./amount.ts";
import { announcementOf, delayText } from "./announcement.ts";
import type { ServedSession } from "./api.ts";
import { CardForm } from "./card-form.tsx";
import type { ChallengePlace } from "./challenge.tsx";
import type { Checkout } from "./checkout.ts";
import { Countdown } from "./countdown.tsx";
import { chooseLocale } from "./locales/choose-locale.ts";
import { type Words, wordsOf } from "./locales/words.ts";
import { NoConnection } from "./no-connection.tsx";
import { isWhole, screenOf } from "./screen.ts";
import { StatusScreen } from "./status-screen.tsx";
import { StatusScreens } from "./status-screens.tsx";
import { EndedSummary, Summary } from "./summary.tsx";
import type { Surface } from "./surface.ts";

type AppProps = {
  readonly checkout: Checkout;
  readonly surface: Surface;
  readonly payButton: "shown" | "hidden";
  readonly challengePlace: ChallengePlace;
  readonly words: Words;
  /** The BCP 47 tag for formatting amounts and lists. */
  readonly tag: string;
  readonly notifyPage: (message: FrameMessage) => void;
  /** Called after a render has changed the document and before the browser paints the change. */
  readonly drawn: () => void;
};

export function App(props: AppProps) {
  const state = useCheckout(props.checkout);
  useLayoutEffect(props.drawn);
  const { surface } = props;
  const firstScreen = useRef<string | null>(null);
  const { session } = state;
  if (!session) return <LoadFailure {...props} loadFailure={state.loadFailure} />;

  const words = wordsOf(props.words, session.mode);
  document.title = words.payTo(session.merchant_name);
  const screen = screenOf(session);
  firstScreen.current ??= screen.name;
  const whole = isWhole(session) ? session : null;
  const amount = whole && formatAmount(whole.amount, whole.currency, props.tag);
  return (
    <>
      {surface === "page" &&
        (whole ? (
          <Summary session={whole} locale={props.tag} words={words} />
        ) : (
          <EndedSummary session={session} words={words} />
        ))}
      <main class="card">
        {surface === "frame" && <h1 class="unseen">{words.payTo(session.merchant_name)}</h1>}
        {screen.name === "form" && whole && amount ? (
          <>
            <h2 class={surface === "frame" ? "unseen" : undefined}>{words.heading}</h2>
            <Countdown
              expiresAtMs={whole.expires_at * 1000}
              serverNow={props.checkout.serverNow}
              words={words}
            />
            <CardForm
              checkout={props.checkout}
              state={state}
              words={words}
              amount={amount}
              price={whole}
              tag={props.tag}
              merchant={session.merchant_name}
              livemode={whole.livemode}
              sandbox={whole.sandbox === true}
              savedCards={whole.saved_cards}
              wallets={whole.wallets}
              coBadged={whole.co_badged}
              savable={whole.mode === "payment" && whole.save_payment_method}
              isSetup={whole.mode === "setup"}
              payButton={props.payButton}
              notifyPage={props.notifyPage}
            />
          </>
        ) : (
          <StatusScreens
            screen={screen}
            session={session}
            amount={amount}
            surface={surface}
            arrived={screen.name !== firstScreen.current}
            words={words}
            delay={delayText(state, words)}
            challenge={{
              place: props.challengePlace,
              checkout: props.checkout,
              busy: state.busy,
              notifyPage: props.notifyPage,
            }}
          />
        )}
        {surface === "page" && <Support session={session} words={words} />}
        <div class="unseen" aria-live="polite">
          {announcementOf(state, words, props.tag)}
        </div>
      </main>
    </>
  );
}

/**
 * The contact of the merchant's support. Not shown in a frame, because the shop's page around the frame shows the
 * shop's own contact.
 */
function Support({ session, words }: { session: ServedSession; words: Words }) {
  const { support_email: email, support_phone: phone } = session;
  if (!email && !phone) return null;
  return (
    <p class="support">
      <span>{words.support}</span>{" "}
      {email && (
        <a href={`mailto:${email}`} dir="ltr">
          {email}
        </a>
      )}
      {email && phone && " · "}
      {phone && (
        <a href={`tel:${phone.replaceAll(/[^+\d]/g, "")}`} dir="ltr">
          {phone}
        </a>
      )}
    </p>
  );
}

function useCheckout(checkout: Checkout) {
  const [state, setState] = useState(checkout.state());
  useEffect(() => checkout.subscribe(() => setState(checkout.state())), [checkout]);
  return state;
}

type LoadFailureProps = Pick<AppProps, "checkout" | "words" | "tag"> & {
  readonly loadFailure: "missing" | "unreachable" | null;
};

function LoadFailure({ checkout, loadFailure, words, tag }: LoadFailureProps) {
  if (loadFailure === "unreachable") {
    const { language } = chooseLocale([tag]);
    return <NoConnection language={language} retry={() => void checkout.refresh()} />;
  }
  return (
    <main class="card">
      <StatusScreen
        tone="calm"
        glyph="alert"
        title={words.missingTitle}
        text={words.missing}
        arrived={false}
      />
    </main>
  );
}
