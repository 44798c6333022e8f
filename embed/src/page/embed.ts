import { FlorinCheckout, optionsFrom } from "./custom-element.ts";
import { mount } from "./mount.ts";

/**
 * `embed.js`, the loader: the only Florin code on the merchant's page. It creates the frame and exchanges messages
 * with it. It never receives card data. A test of import directions enforces this.
 *
 *   Florin.mount("#pay", { session, onComplete() { … } })
 *   <script src="…/embed.js" data-session="…embed_url…" data-target="#pay"></script>
 *   <florin-checkout embed-url="…"></florin-checkout>
 */
// If the page includes the script twice, keep the first loader and its forms. Browsers also set `window.Florin` to an
// element with the ID `Florin`, which the loader replaces.
if (typeof window.Florin?.mount !== "function") {
  window.Florin = { mount };
  customElements.define("florin-checkout", FlorinCheckout);
}
mountFromScript(document.currentScript as HTMLScriptElement | null, window.Florin.mount);

function mountFromScript(script: HTMLScriptElement | null, mountInto: typeof mount): void {
  const { session, embedUrl = session, target } = script?.dataset ?? {};
  if (!script || !embedUrl) return;
  const options = { ...optionsFrom((name) => script.getAttribute(`data-${name}`)), embedUrl };
  const start = (): void => {
    mountInto(target ?? besideScript(script), options);
  };
  // Waits for the document, because the target element may come after the script.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
}

function besideScript(script: HTMLScriptElement): Element {
  const element = document.createElement("div");
  script.after(element);
  return element;
}
