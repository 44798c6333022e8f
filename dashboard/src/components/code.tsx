import { CopyButton } from "./copy-button.tsx";

type Props = {
  readonly text: string;
  /** A description of the text, for the label of the copy button. */
  readonly label: string;
  readonly wrap?: boolean;
};

/** A block of code with a copy button. */
export function Code({ text, label, wrap = false }: Props) {
  return (
    <div className="flex items-start rounded-md bg-code-ground text-code-ink">
      <section
        // Focusable, so that wide text can be scrolled with the arrow keys.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
        tabIndex={0}
        aria-label={label}
        className={`max-h-96 min-w-0 flex-1 overflow-auto p-4 font-mono text-xs leading-relaxed ${wrap ? "break-all whitespace-pre-wrap" : "whitespace-pre"}`}
      >
        {text}
      </section>
      <span className="mx-2 my-2.5 text-code-soft">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}

/** An API object as JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} />;
}
