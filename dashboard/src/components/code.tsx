import { useRef } from "react";
import { CopyButton } from "./copy-button.tsx";
import { useScrollFade } from "./use-scroll-fade.ts";

type Props = {
  readonly text: string;
  /** A description of the text, for the label of the copy button. */
  readonly label: string;
};

/**
 * A block of code with a copy button. Long lines wrap, because a line that is cut off looks complete where scrollbars
 * are hidden. The block is dark in both themes, so its content has the colors of the dark theme.
 */
export function Code({ text, label }: Props) {
  const area = useRef<HTMLElement>(null);
  useScrollFade(area);
  return (
    <div className="flex items-start rounded-md bg-code-ground text-code-ink outline-offset-2 outline-accent has-[section:focus-visible]:outline-2">
      <section
        ref={area}
        // Focusable, so that long text can be scrolled with the arrow keys.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
        tabIndex={0}
        aria-label={label}
        // The outline is on the block, because the fade would also cover an outline of the section.
        className="fade-edges max-h-128 min-w-0 flex-1 overflow-y-auto font-mono text-xs leading-relaxed outline-none scheme-dark"
      >
        <code className="block p-4 font-[inherit] wrap-anywhere whitespace-pre-wrap">
          {text.split("\n").map((line, number) => (
            <Line key={number} text={line} />
          ))}
        </code>
      </section>
      <span className="mx-2 my-2.5 scheme-dark">
        <CopyButton text={text} label={label} />
      </span>
    </div>
  );
}

/** A line of code. The part that wraps is indented further than the line, so that the structure stays visible. */
function Line({ text }: { text: string }) {
  const indent = `${text.search(/\S|$/) + 2}ch`;
  return (
    <span className="block min-h-[1lh]" style={{ paddingLeft: indent, textIndent: `-${indent}` }}>
      {text.split(wordWithHyphen).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} className="inline-block max-w-full indent-0">
            {part}
          </span>
        ),
      )}
    </span>
  );
}

/** Browsers break a line after a hyphen. In a command, `--` at the end of a line would look like an argument. */
const wordWithHyphen = /(\S*-\S*)/;

/** An API object as JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} />;
}
