import type { Frame, Page } from "playwright-core";

/**
 * A stand-in for Google's script, which the tests cannot load. It has the methods that the page uses, and a sheet that
 * the test ends. Its button contains a style element with the nonce that the page has passed, as Google's does.
 */
function standIn(isReady: boolean): string {
  return `
    class PaymentsClient {
      constructor(options) { this.options = options; }
      async isReadyToPay(request) { window.readyRequest = request; return { result: ${isReady} }; }
      createButton({ buttonColor, buttonRadius, buttonLocale, onClick }) {
        const style = document.createElement("style");
        style.nonce = this.options.nonce;
        style.textContent = ".gpay{width:100%;height:100%;border:0;cursor:pointer;font:500 18px Roboto,Arial,sans-serif}.black{background:#000;color:#fff}.white{background:#fff;color:#3c4043}";
        document.head.append(style);
        const button = document.createElement("button");
        button.type = "button";
        button.className = "gpay " + buttonColor;
        button.lang = buttonLocale;
        button.ariaLabel = "Google Pay";
        button.textContent = "Google Pay";
        button.style.borderRadius = buttonRadius + "px";
        button.onclick = onClick;
        const container = document.createElement("div");
        container.style.height = "100%";
        container.append(button);
        return container;
      }
      loadPaymentData(request) {
        window.sheetRequest = request;
        return new Promise((resolve, reject) => {
          window.pay = (token) => resolve({ paymentMethodData: { tokenizationData: { token } } });
          window.end = (statusCode) => reject({ statusCode });
        });
      }
    }
    window.google = { payments: { api: { PaymentsClient } } };`;
}

export type GoogleScript = "ready" | "not_ready" | "blocked" | "slow";

/** Replaces Google's script in this page. `slow` never responds. */
export async function replaceGoogleScript(page: Page, script: GoogleScript): Promise<void> {
  await page.route("https://pay.google.com/**", async (route) => {
    if (script === "blocked") return route.abort();
    if (script === "slow") return;
    const body = standIn(script === "ready");
    await route.fulfill({ contentType: "text/javascript", body });
  });
}

/** The maximum number of checks whether the form contains the page. The checks are at most 500 ms apart. */
const maxChecks = 60;

/** Returns the page with Google Pay's button, once the page has drawn it. */
export async function googlePayPage(page: Page): Promise<Frame> {
  for (let check = 0; check < maxChecks; check++) {
    const frame = page.frames().find((one) => one.url().includes("/google_pay/"));
    if (frame) {
      await frame.getByRole("button", { name: "Google Pay" }).waitFor();
      return frame;
    }
    await page.waitForEvent("frameattached", { timeout: 500 }).catch(() => undefined);
  }
  const urls = page.frames().map((frame) => frame.url());
  throw new Error(`The card form does not offer Google Pay: ${urls.join(", ")}`);
}

/** The request with which the stand-in's sheet was opened. */
export type SheetRequest = {
  readonly merchantInfo: object;
  readonly transactionInfo: object;
  readonly allowedPaymentMethods: readonly object[];
};

type StandIn = {
  readonly sheetRequest?: SheetRequest;
  readonly pay?: (token: string) => void;
  readonly end?: (statusCode: string) => void;
};

/** Opens the sheet with the button. Returns the request. */
export async function openSheet(frame: Frame): Promise<SheetRequest> {
  await frame.getByRole("button", { name: "Google Pay" }).click();
  const handle = await frame.waitForFunction(() => (window as StandIn).sheetRequest);
  return (await handle.jsonValue()) as SheetRequest;
}

/** Ends the sheet, either with the token of the card that the customer selected, or with a status. */
export async function endSheet(
  frame: Frame,
  end: { readonly token: string } | { readonly status: "CANCELED" | "DEVELOPER_ERROR" },
): Promise<void> {
  await frame.evaluate((ended) => {
    const standIn = window as StandIn;
    if ("token" in ended) standIn.pay?.(ended.token);
    else standIn.end?.(ended.status);
  }, end);
}
