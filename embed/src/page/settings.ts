import type { PageMessage } from "../protocol/message.ts";
import type { LiveOptions } from "./options.ts";

/** What the page has chosen, as the bridge carries it. */
export function updateOf(live: LiveOptions): PageMessage & { type: "update" } {
  return {
    type: "update",
    pay_button: live.payButton ?? "shown",
    postal_code: live.postalCode ?? "hidden",
    locale: localeOf(live),
    appearance: live.appearance ?? {},
  };
}

/**
 * The same in the address, so that what the customer sees first has the right looks and language already: the language as
 * a query, for the server writes it on the document, the rest in the fragment behind the session's secret.
 */
export function addressWith(url: URL, live: LiveOptions): string {
  const { type: _, locale, appearance, ...rest } = updateOf(live);
  const address = new URL(url);
  if (locale) address.searchParams.set("locale", locale);
  return `${address.href}&${new URLSearchParams({ ...rest, ...appearance })}`;
}

function localeOf({ locale }: LiveOptions): string | null {
  return locale && /^[a-z]{2,3}(-[a-z\d]{2,8}){0,3}$/i.test(locale) ? locale : null;
}
