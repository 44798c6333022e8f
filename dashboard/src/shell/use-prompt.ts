import { useEffect, useRef, useState } from "react";
import type { Question } from "../api/prompt.ts";

/** Connects a dialog to a prompt that requests wait for: its visibility, and the function that completes it. */
export function useQuestion(question: Question, canBePut: () => boolean = () => true) {
  const [open, setOpen] = useState(false);
  const resolve = useRef<((answer: boolean) => void) | null>(null);
  const possible = useRef(canBePut);
  useEffect(
    () =>
      question.putBy(() => {
        if (!possible.current()) return Promise.resolve(false);
        setOpen(true);
        return new Promise((answered) => {
          resolve.current = answered;
        });
      }),
    [question],
  );
  const answer = (done: boolean) => {
    setOpen(false);
    resolve.current?.(done);
    resolve.current = null;
  };
  return { open, answer };
}
