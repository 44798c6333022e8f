import { useEffect, useRef, useState } from "react";
import type { Prompt } from "../api/dialog-prompt.ts";

/** Connects a dialog to a prompt. Returns whether the dialog is open, and a function that closes it with the result. */
export function usePrompt(prompt: Prompt, canShow: () => boolean = () => true) {
  const [open, setOpen] = useState(false);
  const resolve = useRef<((completed: boolean) => void) | null>(null);
  const possible = useRef(canShow);
  useEffect(
    () =>
      prompt.showWith(() => {
        if (!possible.current()) return Promise.resolve(false);
        setOpen(true);
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
  return { open, close };
}
