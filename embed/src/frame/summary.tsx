import type { FrameSession } from "@florin/contract/frame.ts";
import { formatAmount } from "./amount.ts";
import type { ServedSession } from "./api.ts";
import { Icon } from "./icon.tsx";
import type { Words } from "./locales/words.ts";
import { backUrl, screenOf } from "./screen.ts";

type SummaryProps = {
  readonly session: FrameSession;
  readonly locale: string;
  readonly words: Words;
};

/**
 * The order summary beside the form on Florin's page. Shows the merchant and the amount, or only the merchant if
 * nothing is paid.
 */
export function Summary({ session, locale, words }: SummaryProps) {
  const price = (amount: number) => formatAmount(amount, session.currency, locale);
  const amount = price(session.amount);
  // Shows no link back to the shop while a payment is in progress, because a customer who leaves would miss the
  // outcome.
  const back = screenOf(session).name === "form" ? backUrl(session) : null;
  const wide = matchMedia("(min-width: 54rem)").matches;
  return (
    <header class="summary">
      <div class="merchant">
        {back ? (
          <a class="back" href={back} aria-label={words.back(session.merchant_name)}>
            <Icon name="back" />
          </a>
        ) : null}
        <Merchant name={session.merchant_name} logo={session.logo_path} />
        {!session.livemode && <span class="badge">{words.testMode}</span>}
        {session.sandbox && <span class="badge">{words.sandbox}</span>}
      </div>
      <h1>
        <span class="purpose">{session.description ?? words.payTo(session.merchant_name)}</span>
        {session.mode === "payment" && (
          <span class="amount" style={{ "--length": visibleLength(amount) }}>
            {amount}
          </span>
        )}
      </h1>
      {session.line_items && session.line_items.length > 0 && (
        <details open={wide}>
          <summary>{words.order}</summary>
          <ul>
            {session.line_items.map((item, place) => (
              <li key={place}>
                <span>
                  {item.quantity > 1 && <small>{item.quantity} × </small>}
                  {item.name}
                </span>
                <span>{price(item.amount * item.quantity)}</span>
              </li>
            ))}
            <li class="total">
              <span>{words.total}</span>
              <span>{amount}</span>
            </li>
          </ul>
        </details>
      )}
    </header>
  );
}

/** Returns the number of characters without the marks that isolate a right-to-left amount. */
function visibleLength(amount: string): number {
  return amount.replace(/\p{Cf}/gu, "").length;
}

/**
 * A summary with the merchant's name only, for a session that ended before the page was opened. It is above the outcome
 * on every screen, because it would not fill a column.
 */
export function EndedSummary({ session, words }: { session: ServedSession; words: Words }) {
  const { merchant_name: merchant, logo_path } = session;
  return (
    <header class="summary ended">
      <div class="merchant">
        <Merchant name={merchant} logo={logo_path} />
      </div>
      <h1 class="unseen">{words.payTo(merchant)}</h1>
    </header>
  );
}

function Merchant({ name, logo }: { name: string; logo: string | null }) {
  return (
    <>
      {logo ? (
        <img class="logo" src={logo} alt="" />
      ) : (
        <span class="initial" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <span class="merchant-name">{name}</span>
    </>
  );
}
