import { CircleCheck, X } from "lucide-react";
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

type Toast = { readonly number: number; readonly text: string };

/** The maximum number of toasts that are shown at the same time. A further toast replaces the oldest one. */
const maxToasts = 2;
const shownForMs = 5_000;

/** Confirmations of operations, which disappear automatically. An error is shown in its form or page instead. */
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

export function showToast(text: string): void {
  const toast = { number: ++count, text };
  change([...toasts, toast].slice(-maxToasts));
  setTimeout(() => dismiss(toast.number), shownForMs);
}

function dismiss(number: number): void {
  change(toasts.filter((toast) => toast.number !== number));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const marginPx = 20;

/**
 * Rendered once, at the root of the app. Shows the toasts at the bottom of the window. If the focused button is there,
 * shows them above it, so that the button can be pressed again.
 */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const here = useRef<HTMLDivElement>(null);
  const [bottomPx, setBottomPx] = useState(marginPx);
  useLayoutEffect(() => {
    if (shown.length > 0) setBottomPx(bottomAbove(here.current, document.activeElement));
  }, [shown]);
  return (
    <div
      ref={here}
      role="status"
      // Announces only the new toast and not the toasts that are still shown.
      aria-atomic="false"
      className="pointer-events-none fixed inset-x-4 z-50 grid justify-items-center gap-2"
      style={{ bottom: bottomPx }}
    >
      {shown.map(({ number, text }) => (
        <div
          key={number}
          className="pointer-events-auto flex items-center gap-2 rounded-md border border-line bg-surface py-1 pr-1 pl-3.5 shadow-raised"
        >
          <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-positive" />
          <p>{text}</p>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(number)}
            className="grid size-7 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Returns the distance from the bottom of the window at which the toasts do not cover the focused button. */
function bottomAbove(toasts: HTMLElement | null, focused: Element | null): number {
  const button = focused?.closest("button");
  if (!toasts || !button || toasts.contains(button)) return marginPx;
  const { top, bottom } = button.getBoundingClientRect();
  const topOfToasts = innerHeight - marginPx - toasts.offsetHeight;
  return bottom > topOfToasts && top < innerHeight ? innerHeight - top + 8 : marginPx;
}
