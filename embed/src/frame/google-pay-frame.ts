import type { OfferedGooglePay } from "@florin/contract/frame.ts";
import { minorUnitDigits } from "@florin/contract/minor-units.ts";
import {
  type GooglePayRequest,
  parseGooglePayEvent,
  withEnvelope,
} from "../protocol/google-pay-message.ts";
import { decimalAmount } from "./amount.ts";
import type { WalletOutcome } from "./checkout.ts";

/** The form's end of the bridge to the page with Google Pay's button. */
export type GooglePayFrame = {
  /** Sends the request to the page, now or as soon as the page has loaded. */
  configure(request: GooglePayRequest): void;
  close(): void;
};

export type GooglePayEvents = {
  /** The page has drawn the button. */
  ready(): void;
  /** The customer cannot pay with Google Pay, or Google's script did not load. */
  unavailable(): void;
  /** The customer has authorized the payment. Returns its outcome. */
  paid(token: string): Promise<WalletOutcome>;
  /** The sheet could not be opened. */
  failed(): void;
  /** The page has failed so often that it must be removed. The connection is closed. */
  rejected(): void;
};

/**
 * The number of failures in a row after which the page is removed. A failure is a token that did not lead to a payment,
 * or a sheet that could not be opened. Each token keeps the form busy until the service has responded, so a page that
 * sends one token after another would keep the customer from typing a card.
 */
const maxFailures = 3;

/** Connects to the page in `frame`. `protocol/google-pay-message.ts` explains the messages. */
export function connectGooglePay(
  frame: HTMLIFrameElement,
  { origin }: URL,
  nonce: string,
  events: GooglePayEvents,
): GooglePayFrame {
  let request: GooglePayRequest | null = null;
  /**
   * The last request that was sent, as text. The form renders often, and each request makes the page draw its button.
   */
  let sent = "";
  let isLoaded = false;
  let lastOpening = 0;
  /** The number of the opening of the sheet that has not ended yet. Null while the sheet is closed. */
  let open: number | null = null;
  /** The failures since the last payment. */
  let failures = 0;

  function countFailure(): void {
    failures += 1;
    if (failures !== maxFailures) return;
    removeEventListener("message", receive);
    events.rejected();
  }

  async function pay(token: string): Promise<void> {
    const outcome = await events.paid(token);
    if (outcome === "paid") failures = 0;
    if (outcome === "not_paid") countFailure();
  }

  function send(): void {
    if (!request || !isLoaded || JSON.stringify(request) === sent) return;
    sent = JSON.stringify(request);
    frame.contentWindow?.postMessage(withEnvelope({ type: "configure", request }, nonce), origin);
  }

  const receive = ({ source, origin: sender, data }: MessageEvent): void => {
    if (source === null || source !== frame.contentWindow || sender !== origin) return;
    const event = parseGooglePayEvent(data, nonce);
    if (!event) return;
    switch (event.type) {
      case "hello":
        // A page that has loaded again has no button.
        isLoaded = true;
        sent = "";
        send();
        break;
      case "ready":
        events.ready();
        break;
      case "unavailable":
        events.unavailable();
        break;
      case "opened":
        if (event.opening <= lastOpening) return;
        lastOpening = event.opening;
        open = event.opening;
        break;
      case "token":
      case "canceled":
      case "failed":
        if (event.opening !== open) return;
        open = null;
        if (event.type === "token") void pay(event.token);
        if (event.type === "failed") {
          events.failed();
          countFailure();
        }
    }
  };
  addEventListener("message", receive);

  return {
    configure(newest) {
      request = newest;
      send();
    },
    close: () => removeEventListener("message", receive),
  };
}

/**
 * Returns the amount in Google's format, which has at most two decimals. Returns null for an amount that does not fit.
 */
export function googleTotal(amount: number, currency: string): string | null {
  const total = decimalAmount(amount, currency);
  if (minorUnitDigits(currency) <= 2) return total;
  return total.endsWith("0") ? total.slice(0, -1) : null;
}

/** Returns Google's `tokenizationSpecification`. */
export function tokenizationOf({
  tokenization,
}: OfferedGooglePay): GooglePayRequest["tokenization"] {
  if (tokenization.type === "PAYMENT_GATEWAY") return tokenization;
  const { type, protocol_version: protocolVersion, public_key: publicKey } = tokenization;
  return { type, parameters: { protocolVersion, publicKey } };
}

/** The languages of Google's button (https://developers.google.com/pay/api/web/reference/request-objects#ButtonOptions). */
const buttonLanguages: ReadonlySet<string> = new Set(
  "ar bg ca cs da de el en es et fi fr hr id it ja ko ms nl no pl pt ru sk sl sr sv th tr uk zh".split(
    " ",
  ),
);

/** Returns the language of Google's button for a BCP 47 tag. English if Google has no button in the language. */
export function buttonLanguage(tag: string): string {
  const [language = ""] = tag.toLowerCase().split("-");
  return buttonLanguages.has(language) ? language : "en";
}
