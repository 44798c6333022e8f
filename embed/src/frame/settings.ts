import type { PageMessage } from "../protocol/message.ts";
import { parsePageMessage } from "../protocol/parse-message.ts";

/** What the merchant's page has chosen: it comes with the address first, and may change over the bridge. */
export type Settings = Omit<PageMessage & { type: "update" }, "type">;

const usual: Settings = {
  pay_button: "shown",
  postal_code: "hidden",
  locale: null,
  appearance: {},
};

/** `#secret_…&theme=night&accent=%23123456`: the session's secret, and what the page has chosen (`page/settings.ts`). */
export function readFragment(fragment: string): { secret: string; settings: Settings } {
  const [secret = "", ...rest] = fragment.replace(/^#/, "").split("&");
  const {
    pay_button = usual.pay_button,
    postal_code = usual.postal_code,
    ...appearance
  } = Object.fromEntries(new URLSearchParams(rest.join("&")));
  const message = parsePageMessage({
    type: "update",
    locale: null,
    pay_button,
    postal_code,
    appearance,
  });
  // An address is written by hand more often than by us: what cannot be read is left out, never an empty page.
  return { secret, settings: message?.type === "update" ? settingsOf(message) : usual };
}

export function settingsOf({ type: _, ...settings }: PageMessage & { type: "update" }): Settings {
  return settings;
}
