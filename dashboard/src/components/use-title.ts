import { useEffect } from "react";

/** The window's title, for pages that have their own frame. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Florin`;
  }, [title]);
}
