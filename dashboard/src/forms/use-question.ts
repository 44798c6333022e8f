import { useEffect, useRef, useState } from "react";
import type { Question } from "../api/question.ts";

/** How a dialog puts a question that requests wait for: whether it is to be seen, and how it is answered. */
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
