// Lets a React Server Component render the form.
"use client";

import { createElement, type ReactElement, useEffect, useRef } from "react";
import type { Florin, Mounted, MountOptions } from "../page/options.ts";
import { loadFlorin } from "./load-florin.ts";

export type FlorinCheckoutProps = MountOptions & {
  /**
   * The URL and SRI hash of the pinned loader from `/embed.json`. Default: the unversioned loader on the session's
   * origin.
   */
  readonly loader?: { readonly src: string; readonly integrity: string } | undefined;
  readonly className?: string | undefined;
  /** Called with the mounted form, so that the shop's pay button can call `submit()`. */
  readonly onMounted?: ((mounted: Mounted) => void) | undefined;
};

/**
 * The card form as a React component. It uses the same loader as other pages. Options and callbacks may change on any
 * render. A new frame is created only if the session changes. When StrictMode mounts the component a second time, the
 * existing frame is used again.
 */
export function FlorinCheckout(props: FlorinCheckoutProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const shown = useRef(props);
  const mounted = useRef<Mounted | null>(null);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const address = props.embedUrl ?? props.session?.embed_url;

  useEffect(() => {
    const element = place.current;
    if (!element || !address) return;
    if (!isEmbedUrl(address)) {
      // Reports the error with a callback, because an error thrown in an effect would unmount the page's tree.
      // StrictMode runs the effect twice. The cleanup cancels the first report, so that there is only one.
      const reporting = setTimeout(() =>
        latest.current.onError?.({
          code: "embed_url_invalid",
          message: "`embedUrl` must be an http or https URL. Pass the `embed_url` of the session.",
        }),
      );
      return () => clearTimeout(reporting);
    }
    clearTimeout(leaving.current);
    let gone = false;
    loadFlorin(address, latest.current.loader).then(
      (florin: Florin) => {
        if (gone) return;
        mounted.current = florin.mount(element, latest.current);
        latest.current.onMounted?.(mounted.current);
      },
      (error: Error) => {
        if (!gone) latest.current.onError?.({ code: "loader_failed", message: error.message });
      },
    );
    return () => {
      gone = true;
      // Waits for the next task before destroying the frame, because an effect cleanup cannot distinguish an unmount
      // from a remount. Destroying and recreating the frame on a remount would lose typed input.
      leaving.current = setTimeout(() => {
        mounted.current?.destroy();
        mounted.current = null;
      });
    };
  }, [address]);

  useEffect(() => {
    // A prop that the new render no longer passes returns to its default. `update` keeps an option that is not passed.
    const removed = Object.keys(shown.current).filter((name) => !(name in props));
    const cleared = Object.fromEntries(removed.map((name) => [name, undefined]));
    mounted.current?.update({ ...cleared, ...props });
    shown.current = props;
  });

  return createElement("div", { ref: place, className: props.className });
}

/** Returns whether `Florin.mount` accepts the URL. */
function isEmbedUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text, location.href).protocol);
  } catch {
    return false;
  }
}
