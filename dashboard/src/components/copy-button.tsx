import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { Dialog } from "./dialog.tsx";
import { fieldStyle } from "./field.tsx";

/**
 * Copies text to the clipboard and shows a confirmation. If the browser denies clipboard access, shows the text for
 * manual copying.
 */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [end, setEnd] = useState<"copied" | "rejected" | null>(null);
  useEffect(() => {
    if (end !== "copied") return;
    const timer = setTimeout(() => setEnd(null), 1_500);
    return () => clearTimeout(timer);
  }, [end]);
  const Icon = end === "copied" ? Check : CopyIcon;
  return (
    <>
      <button
        type="button"
        className="relative inline-grid size-6 shrink-0 place-items-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink"
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
        onClick={() =>
          void intoClipboard(text).then((done) => setEnd(done ? "copied" : "rejected"))
        }
      >
        <Icon
          aria-hidden="true"
          className={`size-3.5 ${end === "copied" ? "text-positive" : ""}`}
        />
        <span role="status" className="sr-only">
          {end === "copied" ? "Copied" : ""}
        </span>
      </button>
      {end === "rejected" && <ManualCopy {...{ text, label }} onClose={() => setEnd(null)} />}
    </>
  );
}

/** Returns false if clipboard access is denied, by the person or because the page is opened over plain HTTP. */
async function intoClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Shows the selected text for manual copying. Rendered into the body, because a dialog is not allowed inside a
 * paragraph.
 */
function ManualCopy({
  text,
  label,
  onClose,
}: {
  text: string;
  label: string;
  onClose: () => void;
}) {
  return createPortal(
    <Dialog
      open
      title={`Copy ${label}`}
      lead="This browser blocks clipboard access. Press Ctrl+C, or ⌘C on a Mac."
      onClose={onClose}
    >
      <textarea
        aria-label={label}
        readOnly
        rows={Math.min(text.split("\n").length + 1, 10)}
        value={text}
        className={`${fieldStyle} py-2 font-mono text-xs break-all`}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>,
    document.body,
  );
}
