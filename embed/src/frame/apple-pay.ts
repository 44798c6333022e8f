import type { AppleSession, OfferedApplePay } from "@florin/contract/frame.ts";
import { decimalAmount } from "./amount.ts";
import type { ApiResult } from "./api.ts";
import type { WalletOutcome } from "./checkout.ts";

/**
 * The parts of Safari's `ApplePaySession` that the form uses
 * (https://developer.apple.com/documentation/apple_pay_on_the_web/applepaysession). Safari implements it, so Apple Pay
 * needs no script from Apple.
 */
type SafariSession = {
  onvalidatemerchant: ((event: { readonly validationURL: string }) => void) | null;
  onpaymentauthorized: ((event: { readonly payment: ApplePayment }) => void) | null;
  oncancel: (() => void) | null;
  begin(): void;
  abort(): void;
  completeMerchantValidation(merchantSession: object): void;
  completePayment(result: { readonly status: number }): void;
};

type ApplePayment = { readonly token: { readonly paymentData: object } };

type SafariSessions = {
  new (version: number, request: object): SafariSession;
  supportsVersion(version: number): boolean;
  canMakePayments(): boolean;
  readonly STATUS_SUCCESS: number;
  readonly STATUS_FAILURE: number;
};

/** Version 3 is supported since iOS 11 and macOS 10.13. */
const version = 3;

function safariSessions(): SafariSessions | undefined {
  return (window as unknown as { ApplePaySession?: SafariSessions }).ApplePaySession;
}

/**
 * Returns the host name of the top-level page, for which Apple must create the merchant session. Safari has
 * `ancestorOrigins`.
 */
function topDomain(): string {
  const origin = Array.from(location.ancestorOrigins ?? []).at(-1) ?? location.origin;
  return URL.canParse(origin) ? new URL(origin).hostname : "";
}

/**
 * Returns whether this browser and device can pay with Apple Pay in this document. The top-level page must be on a
 * domain that is registered with Apple.
 */
export function canPayWithApple({ domains }: OfferedApplePay): boolean {
  if (!domains.includes(topDomain())) return false;
  try {
    const sessions = safariSessions();
    return sessions?.supportsVersion(version) === true && sessions.canMakePayments();
  } catch {
    // Safari throws in a frame whose page has not granted the permission `payment`, and in an insecure context.
    return false;
  }
}

export type ApplePayDeps = {
  /** Requests Apple's merchant session from the service. */
  readonly startSession: (
    validationUrl: string,
    domain: string,
  ) => Promise<ApiResult<AppleSession>>;
  readonly pay: (token: string) => Promise<WalletOutcome>;
  /** Called if the sheet could not be opened. Nothing was charged. */
  readonly failed: () => void;
  /** Called after the sheet has closed. */
  readonly closed: () => void;
};

/**
 * Opens the Apple Pay sheet. Must be called in the event handler of a click, because Safari requires a user gesture.
 */
export function openApplePay(
  wallet: OfferedApplePay,
  price: { readonly amount: number; readonly currency: string },
  deps: ApplePayDeps,
): void {
  const sessions = safariSessions();
  if (!sessions) return;
  const fail = (session: SafariSession | null): void => {
    session?.abort();
    deps.closed();
    deps.failed();
  };
  try {
    const session = new sessions(version, {
      countryCode: wallet.country_code,
      currencyCode: price.currency.toUpperCase(),
      supportedNetworks: wallet.supported_networks,
      merchantCapabilities: wallet.merchant_capabilities,
      total: {
        label: wallet.display_name,
        amount: decimalAmount(price.amount, price.currency),
        type: "final",
      },
    });
    let isClosed = false;
    session.oncancel = () => {
      isClosed = true;
      deps.closed();
    };
    session.onvalidatemerchant = async ({ validationURL }) => {
      const response = await deps.startSession(validationURL, topDomain());
      if (isClosed) return;
      if (response.kind !== "ok") return fail(session);
      session.completeMerchantValidation(response.body.merchant_session);
    };
    session.onpaymentauthorized = async ({ payment }) => {
      const outcome = await deps.pay(JSON.stringify(payment.token.paymentData));
      // Without an outcome, the sheet must show neither success nor failure. The form shows the state of the payment.
      if (outcome === "pending") session.abort();
      else {
        const { STATUS_SUCCESS, STATUS_FAILURE } = sessions;
        session.completePayment({ status: outcome === "paid" ? STATUS_SUCCESS : STATUS_FAILURE });
      }
      deps.closed();
    };
    session.begin();
  } catch {
    fail(null);
  }
}
