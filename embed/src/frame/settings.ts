import type { PageMessage } from "../protocol/message.ts";
import { parsePageMessage } from "../protocol/parse-message.ts";

/**
 * The settings that the merchant's page chooses. The URL contains the initial settings, and messages of the bridge
 * change them.
 */
export type Settings = Omit<PageMessage & { type: "update" }, "type">;

const defaults: Settings = {
  pay_button: "shown",
  postal_code: "hidden",
  locale: null,
  appearance: {},
};

/**
 * Parses the URL fragment `#secret_…&theme=night&accent=%23123456`: the session's secret and the initial settings
 * (`page/mount.ts`).
 */
export function readFragment(fragment: string): { secret: string; settings: Settings } {
  const [secret = "", ...rest] = fragment.replace(/^#/, "").split("&");
  const {
    pay_button = defaults.pay_button,
    postal_code = defaults.postal_code,
    ...appearance
  } = Object.fromEntries(new URLSearchParams(rest.join("&")));
  const message = parsePageMessage({
    type: "update",
    locale: null,
    pay_button,
    postal_code,
    appearance,
  });
  // A URL may be written by hand, so invalid settings are ignored instead of breaking the page.
  return { secret, settings: message?.type === "update" ? settingsOf(message) : defaults };
}

export function settingsOf({ type: _, ...settings }: PageMessage & { type: "update" }): Settings {
  return settings;
}
