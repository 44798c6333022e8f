import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";

/** Puts a text into the clipboard, and says that it did. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : CopyIcon;
  return (
    <button
      type="button"
      className="relative inline-grid size-6 place-items-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon aria-hidden="true" className={`size-3.5 ${copied ? "text-positive" : ""}`} />
      <span role="status" className="sr-only">
        {copied ? "Copied" : ""}
      </span>
    </button>
  );
}
