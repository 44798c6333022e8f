import type { Callbacks, EventMessage, LiveOptions } from "./options.ts";

export type { EventMessage };

/** Dispatches an event on the element and calls the current callback. */
export function createEventDispatcher(
  element: Element,
  live: LiveOptions,
): (message: EventMessage) => void {
  return ({ type, ...detail }) => {
    // Composed, because the element may be in a shadow root of the shop.
    const event = new CustomEvent(`florin:${type}`, { detail, bubbles: true, composed: true });
    element.dispatchEvent(event);
    (live[callbackName(type)] as ((detail: object) => void) | undefined)?.(detail);
  };
}

/** Returns the callback's name: requires_action → onRequiresAction. */
function callbackName(type: string): keyof Callbacks {
  return `on_${type}`.replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  ) as keyof Callbacks;
}
