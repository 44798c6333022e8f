import type { Florin } from "../page/options.ts";

const loading = new Map<string, Promise<Florin>>();

/** Loads the loader into the page once, from the session's origin. Rejects if the loader cannot be loaded. */
export function loadFlorin(
  embedUrl: string,
  pinned?: { readonly src: string; readonly integrity: string },
): Promise<Florin> {
  const loaded = florin();
  if (loaded) return Promise.resolve(loaded);
  const src = pinned?.src ?? `${new URL(embedUrl, location.href).origin}/embed.js`;
  const cached = loading.get(src);
  if (cached) return cached;
  const promise = new Promise<Florin>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = src;
    if (pinned) {
      script.integrity = pinned.integrity;
      script.crossOrigin = "anonymous";
    }
    script.onload = () => {
      const defined = florin();
      if (defined) resolve(defined);
      else
        reject(
          new Error(`${src} did not load Florin. Check that the URL is that of Florin's embed.js.`),
        );
    };
    script.onerror = () => {
      // Allows the next mount to load the script again, because the connection may have returned.
      loading.delete(src);
      script.remove();
      reject(
        new Error(
          `The browser could not load ${src}. Check the URL, the Content-Security-Policy and the integrity hash.`,
        ),
      );
    };
    document.head.append(script);
  });
  loading.set(src, promise);
  return promise;
}

/** Returns the loader. Browsers also set `window.Florin` to an element with the ID `Florin`. */
function florin(): Florin | null {
  const { Florin: found } = window;
  return typeof found?.mount === "function" ? found : null;
}
