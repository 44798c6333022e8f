import { useEffect, useRef } from "react";
import { StepMark, type StepState } from "./step-mark.tsx";
import { useScrollFade } from "./use-scroll-fade.ts";

export type Step = {
  readonly key: string;
  readonly label: string;
  readonly state: StepState;
};

type Props = {
  readonly label: string;
  readonly steps: readonly Step[];
  readonly at: string;
  readonly onGo: (key: string) => void;
};

/** The steps of a longer task, with the current one and links to all. */
export function Stepper({ label, steps, at, onGo }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useScrollFade(list);
  // On a phone, the row of steps is wider than the screen. Scroll to the current step.
  useEffect(() => {
    const current = list.current?.querySelector(`[data-step="${at}"]`);
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);
  return (
    <nav aria-label={label}>
      <ol
        ref={list}
        className="fade-sides relative flex scroll-px-12 gap-1 overflow-x-auto sm:grid"
      >
        {steps.map(({ key, label: name, state }, number) => (
          <li key={key} data-step={key} className="shrink-0">
            <button
              type="button"
              aria-current={key === at ? "step" : undefined}
              onClick={() => onGo(key)}
              className="flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left text-ink-soft hover:bg-hover aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              <StepMark state={state} number={number + 1} />
              <span>
                {name}
                <span className="sr-only">{stateTexts[state]}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const stateTexts: Readonly<Record<StepState, string>> = {
  done: ", completed",
  open: "",
  attention: ", needs attention",
};
