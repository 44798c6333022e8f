import { createElement, type ReactElement, useEffect, useRef } from "react";
import type { Florin, Mounted, MountOptions } from "../page/options.ts";
import { loadFlorin } from "./load-florin.ts";

export type FlorinCheckoutProps = MountOptions & {
  /** The pinned loader's URL and hash from `/embed.json`. Default: the unversioned loader of the session's origin. */
  readonly loader?: { readonly src: string; readonly integrity: string } | undefined;
  readonly className?: string | undefined;
  /** Called with the mounted form, for a shop's own pay button. */
  readonly onMounted?: ((mounted: Mounted) => void) | undefined;
};

/**
 * The card form as a React component, on the same loader. Options and callbacks may change with every render. Only
 * another session creates another frame. StrictMode's second mount reuses the first one's frame.
 */
export function FlorinCheckout(props: FlorinCheckoutProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const mounted = useRef<Mounted | null>(null);
  const leaving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const address = props.embedUrl ?? props.session?.embed_url;

  useEffect(() => {
    const element = place.current;
    if (!element || !address) return;
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
      // A frame that is destroyed and created again would lose the typed input. React does not tell an unmount from
      // a remount, so wait for the next task.
      leaving.current = setTimeout(() => {
        mounted.current?.destroy();
        mounted.current = null;
      });
    };
  }, [address]);

  useEffect(() => mounted.current?.update(props));

  return createElement("div", { ref: place, className: props.className });
}
