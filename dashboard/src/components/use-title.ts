import { useEffect } from "react";

/** The window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Florin`;
  }, [title]);
}
