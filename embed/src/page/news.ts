import type { Callbacks, LiveOptions, News } from "./options.ts";

export type { News };

/** Tells the page: by an event on the element, and by the callback that it has just now. */
export function newsTeller(element: Element, live: LiveOptions): (news: News) => void {
  return ({ type, ...detail }) => {
    // Composed, for the element may stand in a shadow of the shop's.
    const event = new CustomEvent(`florin:${type}`, { detail, bubbles: true, composed: true });
    element.dispatchEvent(event);
    (live[callbackName(type)] as ((detail: object) => void) | undefined)?.(detail);
  };
}

/** requires_action → onRequiresAction. */
function callbackName(type: string): keyof Callbacks {
  return `on_${type}`.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  ) as keyof Callbacks;
}
