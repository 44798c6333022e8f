import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";

type Props = {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  readonly children: ReactNode;
};

/** One step of the guide, with its number, or a check mark if it is done. */
export function GuideStep({ number, title, done, children }: Props) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-1 gap-4 rounded-lg border border-line bg-surface p-4 sm:p-6"
    >
      <h2 id={id} className="flex items-center gap-3 text-lg">
        <span
          className={`grid size-7 shrink-0 place-items-center rounded-full text-sm tabular-nums ${done ? "bg-positive-soft text-positive" : "bg-sunken text-ink-soft"}`}
        >
          {done ? <Check aria-hidden="true" className="size-4" /> : number}
        </span>
        {title}
        {done && <span className="sr-only">, completed</span>}
      </h2>
      {children}
    </section>
  );
}
