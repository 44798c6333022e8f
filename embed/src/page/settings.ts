import type { PageMessage } from "../protocol/message.ts";
import type { LiveOptions } from "./options.ts";

/** What the page has chosen, as the bridge carries it. */
export function updateOf(live: LiveOptions): PageMessage & { type: "update" } {
  return {
    type: "update",
    pay_button: live.payButton ?? "shown",
    locale: localeOf(live) ?? null,
    appearance: live.appearance ?? {},
  };
}

/**
 * The same in the address's fragment, behind the session's secret, so that the first thing the customer sees has the right
 * looks and language already. A page that redirects to `embed_url` may add it as well: `…#secret_…&locale=de&theme=night`.
 */
export function addressWith(url: URL, live: LiveOptions): string {
  const { pay_button, locale, appearance } = updateOf(live);
  const chosen = new URLSearchParams({ ...appearance, ...(locale && { locale }) });
  if (pay_button === "hidden") chosen.set("pay_button", pay_button);
  return chosen.size > 0 ? `${url.href}&${chosen}` : url.href;
}

function localeOf({ locale }: LiveOptions): string | undefined {
  return locale && /^[a-z]{2,3}(-[a-z\d]{2,8}){0,3}$/i.test(locale) ? locale : undefined;
}
