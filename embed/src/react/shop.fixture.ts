import { createElement, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { FlorinCheckout, type FlorinCheckoutProps } from "./florin-checkout.ts";

/** A merchant's page in React. The test bundles it and controls it through `window.shop`. */
function Shop({ first }: { first: FlorinCheckoutProps }) {
  const [props, setProps] = useState<FlorinCheckoutProps | null>(first);
  Object.assign(window, {
    show: (changed: Partial<FlorinCheckoutProps> | null, without: readonly string[] = []) =>
      setProps((before) => {
        if (!changed) return null;
        const props = { ...(before ?? first), ...changed };
        const kept = Object.entries(props).filter(([name]) => !without.includes(name));
        return Object.fromEntries(kept) as FlorinCheckoutProps;
      }),
  });
  return props && createElement(FlorinCheckout, props);
}

export function openReactShop(embedUrl: string): void {
  const events: string[] = [];
  Object.assign(window, { events });
  const first: FlorinCheckoutProps = {
    embedUrl,
    onReady: () => events.push("ready"),
    onChange: () => events.push("first change"),
    onComplete: () => events.push("complete"),
    onError: ({ code }) => events.push(code),
  };
  const root = createRoot(document.getElementById("pay") as HTMLElement);
  root.render(createElement(StrictMode, null, createElement(Shop, { first })));
}
