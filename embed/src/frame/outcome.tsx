import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Glyph } from "./glyph.tsx";

type OutcomeFacts = {
  readonly tone: "good" | "calm" | "bad";
  readonly glyph: "check" | "clock" | "cross" | "alert" | "bank" | null;
  readonly title: string;
  readonly text: string;
  /** True when the customer was here while it changed: the focus goes to the news, for the button it was on is gone. */
  readonly arrived: boolean;
  readonly children?: ComponentChildren;
};

/** A screen that tells how it stands: a sign, a sentence, and the way on. */
export function Outcome({ tone, glyph, title, text, arrived, children }: OutcomeFacts) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (arrived) heading.current?.focus();
  }, [title]);
  return (
    <div class={`outcome ${tone}`}>
      <div class="sign">
        {glyph ? <Glyph name={glyph} /> : <span class="spinner" aria-hidden="true" />}
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}
