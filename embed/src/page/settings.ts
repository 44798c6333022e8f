import type { PageMessage } from "../protocol/message.ts";
import type { LiveOptions } from "./options.ts";

/** Returns the page's options as a message of the bridge. */
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
 * Returns the frame's URL with the page's options, so that the first paint has the right appearance and language. The
 * language is in the query, because the server writes it on the document. The rest is in the fragment after the
 * session's secret.
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
