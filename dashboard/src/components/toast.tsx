import { CircleCheck } from "lucide-react";
import { useSyncExternalStore } from "react";

type Toast = { readonly number: number; readonly text: string };

/** Confirmations of operations, which disappear automatically. An error is shown in its form or page instead. */
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

export function showToast(text: string): void {
  const toast = { number: ++count, text };
  change([...toasts, toast]);
  setTimeout(() => change(toasts.filter(({ number }) => number !== toast.number)), 5_000);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rendered once, at the root of the app. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-5 z-50 grid justify-items-center gap-2"
    >
      {shown.map(({ number, text }) => (
        <p
          key={number}
          className="flex items-center gap-2 rounded-md border border-line bg-surface px-3.5 py-2 shadow-raised"
        >
          <CircleCheck aria-hidden="true" className="size-4 text-positive" />
          {text}
        </p>
      ))}
    </div>
  );
}
