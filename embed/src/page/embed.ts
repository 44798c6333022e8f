import { mount } from "./mount.ts";
import type { Florin, MountOptions } from "./options.ts";

/**
 * `embed.js`, the loader: the only code of ours on the merchant's page. It makes the frame and speaks with it; it never
 * meets a card, and an import rule keeps it so.
 *
 *   Florin.mount("#pay", { session, onComplete() { … } })
 *   <script src="…/embed.js" data-embed-url="…" data-target="#pay"></script>
 */
// The script may be on the page twice: the first one keeps its instances.
window.Florin ??= { mount };
mountFromScript(document.currentScript as HTMLScriptElement | null, window.Florin.mount);

function mountFromScript(script: HTMLScriptElement | null, mountInto: Florin["mount"]): void {
  const { embedUrl, target } = script?.dataset ?? {};
  if (!script || !embedUrl) return;
  const options: MountOptions = { embedUrl };
  const start = (): void => {
    mountInto(target ?? besideScript(script), options);
  };
  // The target may stand below the script.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
}

function besideScript(script: HTMLScriptElement): Element {
  const element = document.createElement("div");
  script.after(element);
  return element;
}
