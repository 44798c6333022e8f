import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

type StatusScreenProps = {
  readonly tone: "good" | "calm" | "bad";
  readonly glyph: "check" | "clock" | "cross" | "alert" | "bank" | null;
  readonly title: string;
  readonly text: string;
  /**
   * True if the status changed while the customer was watching. The focus then moves to the heading, because the
   * focused button is gone.
   */
  readonly arrived: boolean;
  readonly children?: ComponentChildren;
};

/** A status screen with an icon, a sentence and the next step. */
export function StatusScreen({ tone, glyph, title, text, arrived, children }: StatusScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (arrived) heading.current?.focus();
  }, [title]);
  return (
    <div class={`outcome ${tone}`}>
      <div class="sign">
        {glyph ? <Icon name={glyph} /> : <span class="spinner" aria-hidden="true" />}
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {text && <p>{text}</p>}
      {children}
    </div>
  );
}
