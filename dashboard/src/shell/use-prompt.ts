import { useEffect, useRef, useState } from "react";
import { currentPage } from "../api/current-page.ts";
import type { Prompt } from "../api/dialog-prompt.ts";

/**
 * Connects a dialog to a prompt. Returns whether the dialog is open, whether the person has left the page on which it
 * opened, and a function that closes it with the result.
 */
export function usePrompt(prompt: Prompt, canShow: () => boolean = () => true) {
  const [open, setOpen] = useState(false);
  const [pageLeft, setPageLeft] = useState(false);
  const resolve = useRef<((completed: boolean) => void) | null>(null);
  const possible = useRef(canShow);
  useEffect(
    () =>
      prompt.showWith(() => {
        if (!possible.current()) return Promise.resolve(false);
        setOpen(true);
        setPageLeft(false);
        currentPage().addEventListener("abort", () => setPageLeft(true));
        return new Promise((complete) => {
          resolve.current = complete;
        });
      }),
    [prompt],
  );
  const close = (completed: boolean) => {
    setOpen(false);
    resolve.current?.(completed);
    resolve.current = null;
  };
  return { open, pageLeft, close };
}
