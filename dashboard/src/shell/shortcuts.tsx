import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useMay } from "../api/signed-in-person.ts";
import { useScopedPath } from "../api/use-api.ts";
import { Dialog } from "../components/dialog.tsx";
import { commandKey } from "./command-key.ts";
import { navigation } from "./navigation.ts";
import { openCommandPalette, shortcutsEvent } from "./open-event.ts";

/** The maximum time between the two keys of a shortcut such as `g p`. */
const maxPauseMs = 1_500;

const general: readonly (readonly [keys: readonly string[], action: string])[] = [
  [[commandKey("K")], "Search and run actions"],
  [["/"], "Search"],
  [["?"], "Show this list"],
  [["↓", "↑", "J", "K"], "Move between rows"],
  [["Enter"], "Open the row"],
  [["←", "→"], "Move between tabs"],
  [["Esc"], "Close a dialog or menu"],
];

/** Handles the keyboard shortcuts of all pages, and lists them in a dialog after `?`. */
export function Shortcuts() {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const address = useScopedPath();
  const may = useMay();
  const places = navigation
    .flatMap((group) => group.places)
    .filter(({ key, permission }) => key && may(permission));
  /** The time of the first key of a shortcut. A ref, because the page may render between the two keys. */
  const startedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const isSecond = event.timeStamp - startedAt.current < maxPauseMs;
      startedAt.current = Number.NEGATIVE_INFINITY;
      const place = isSecond && places.find(({ key }) => key === event.key);
      if (place) void navigate({ to: address(place.to) });
      else if (event.key === "g") startedAt.current = event.timeStamp;
      else if (event.key === "/") openCommandPalette();
      else if (event.key === "?") setOpen(true);
      else return;
      event.preventDefault();
      // A page may use the second key as its own shortcut, such as D in the review queue.
      event.stopPropagation();
    };
    const show = () => setOpen(true);
    addEventListener("keydown", press, { capture: true });
    addEventListener(shortcutsEvent, show);
    return () => {
      removeEventListener("keydown", press, { capture: true });
      removeEventListener(shortcutsEvent, show);
    };
  });
  return (
    <Dialog open={open} wide title="Keyboard shortcuts" onClose={() => setOpen(false)}>
      <div className="grid max-h-[70dvh] gap-x-8 gap-y-5 overflow-y-auto sm:grid-cols-2">
        <Keys title="General" rows={general} />
        <Keys
          title="Go to"
          rows={places.map(({ key = "", label }) => [["G", key.toUpperCase()], label])}
        />
      </div>
    </Dialog>
  );
}

/** Returns whether a key belongs to a field or an open dialog instead of the page. */
function isTyping({ target }: KeyboardEvent): boolean {
  const isField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=menu]") !== null);
  return isField || document.querySelector("dialog[open]") !== null;
}

function Keys({ title, rows }: { title: string; rows: typeof general }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-medium text-ink-soft">{title}</h3>
      <dl className="grid gap-1.5">
        {rows.map(([keys, action]) => (
          <div key={keys.join(" ")} className="flex items-center justify-between gap-4">
            <dt>{action}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded-sm border border-line-strong bg-sunken px-1.5 py-px text-center font-sans text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
