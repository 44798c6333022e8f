import { useEffect } from "react";
import { withoutDirectionControls } from "./isolate-bidi.ts";

/** Sets the window's title. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${withoutDirectionControls(title)} · Florin`;
  }, [title]);
}
