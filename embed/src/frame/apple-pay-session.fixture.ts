import type { BrowserContext, Page } from "playwright-core";

/**
 * Adds a stand-in for Safari's `ApplePaySession`, which Chromium does not have. The stand-in shows no sheet. In place
 * of the customer's actions in the sheet, the test calls the event handlers.
 */
export async function addApplePay(target: BrowserContext | Page): Promise<void> {
  await target.addInitScript(() => {
    class ApplePaySession {
      static readonly STATUS_SUCCESS = 0;
      static readonly STATUS_FAILURE = 1;
      static supportsVersion = (version: number) => version <= 14;
      /** Safari throws in a frame whose page has not granted the permission. */
      static canMakePayments(): boolean {
        const { featurePolicy } = document as unknown as {
          featurePolicy: { allowsFeature(name: string): boolean };
        };
        if (!featurePolicy.allowsFeature("payment")) throw new DOMException("", "SecurityError");
        return true;
      }
      onvalidatemerchant?: (event: object) => void;
      readonly version: number;
      readonly request: object;
      readonly calls: unknown[] = [];
      constructor(version: number, request: object) {
        if (!navigator.userActivation.isActive) throw new DOMException("", "InvalidAccessError");
        this.version = version;
        this.request = request;
        Object.assign(window, { applePay: this });
      }
      begin(): void {
        const validationURL = "https://apple-pay-gateway.apple.com/paymentservices/paymentSession";
        setTimeout(() => this.onvalidatemerchant?.({ validationURL }));
      }
      abort(): void {
        this.calls.push("abort");
      }
      completeMerchantValidation(session: object): void {
        this.calls.push(session);
      }
      completePayment({ status }: { status: number }): void {
        this.calls.push(status === 0 ? "success" : "failure");
      }
    }
    Object.assign(window, { ApplePaySession });
  });
}

/** An Apple Pay session that the form has opened. `calls` contains the method calls of the form, in order. */
export type OpenedApplePay = {
  readonly version: number;
  readonly request: Readonly<Record<string, unknown>>;
  readonly calls: unknown[];
  onpaymentauthorized(event: object): Promise<void>;
  oncancel(): void;
};
