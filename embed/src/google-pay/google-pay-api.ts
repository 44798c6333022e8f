/**
 * The parts of Google's script that the page uses (https://developers.google.com/pay/api/web/reference/client). Google
 * serves the script without versions and hashes, so it cannot be part of the build.
 */
export type PaymentsClient = {
  isReadyToPay(request: object): Promise<{ readonly result: boolean }>;
  createButton(options: object): HTMLElement;
  loadPaymentData(request: object): Promise<PaymentData>;
};

export type PaymentData = {
  readonly paymentMethodData: { readonly tokenizationData: { readonly token: string } };
};

type GoogleGlobal = {
  readonly payments: {
    readonly api: { readonly PaymentsClient: new (options: object) => PaymentsClient };
  };
};

/** Google forbids hosting the script elsewhere, and publishes no hash of it. */
const scriptUrl = "https://pay.google.com/gp/p/js/pay.js";

/** Loads Google's script. The nonce lets the page's CSP accept the elements that the script adds. */
export function loadGooglePay(cspNonce: string): Promise<GoogleGlobal["payments"]["api"]> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = scriptUrl;
    script.async = true;
    script.nonce = cspNonce;
    script.onload = () => {
      const { google } = window as unknown as { google?: GoogleGlobal };
      if (google?.payments?.api) resolve(google.payments.api);
      else reject(new Error("Google's script loaded but did not define its API."));
    };
    script.onerror = () => reject(new Error("Google's script did not load."));
    document.head.append(script);
  });
}
