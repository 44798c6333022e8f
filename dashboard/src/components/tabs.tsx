import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export type Tab = { readonly key: string; readonly label: string; readonly content: ReactNode };

type Props = {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly open: string;
  /** Called with the key of the selected tab. The caller stores the key, for example in the URL. */
  readonly onOpen: (key: string) => void;
};

/** Several views of one subject. Arrow keys move between the tabs. */
export function Tabs({ label, tabs, open, onOpen }: Props) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs.find(({ key }) => key === open) ?? tabs[0];
  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !shown) return;
    const at = tabs.indexOf(shown);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onOpen(next.key);
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus();
  };
  return (
    <div className="grid grid-cols-1 gap-4">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={moveFocus}
        className="relative flex gap-5 overflow-x-auto border-b border-line"
      >
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            data-key={tab.key}
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => onOpen(tab.key)}
            className="-mb-px border-b-2 border-transparent px-0.5 pt-1 pb-2 font-medium whitespace-nowrap text-ink-soft hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown?.key}`}>
        {shown?.content}
      </div>
    </div>
  );
}
