import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useMay } from "../api/me.ts";
import { useScopedPath } from "../api/use-api.ts";
import { Dialog } from "../components/dialog.tsx";
import { fieldStyle } from "../components/field.tsx";
import { navigation } from "./navigation.ts";
import { pageOfId } from "./page-of-id.ts";

const openEvent = "florin-palette";

export function openCommandPalette(): void {
  dispatchEvent(new Event(openEvent));
}

type Hit = { readonly label: string; readonly hint: string; readonly to: string };

/** The command palette (⌘K), which finds pages by name and objects by ID. */
export function CommandPalette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const show = () => setOpen(true);
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener(openEvent, show);
    addEventListener("keydown", press);
    return () => {
      removeEventListener(openEvent, show);
      removeEventListener("keydown", press);
    };
  }, []);
  return (
    <Dialog open={open} title="Search" onClose={() => setOpen(false)}>
      <Finder onGone={() => setOpen(false)} />
    </Dialog>
  );
}

function Finder({ onGone }: { onGone: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const address = useScopedPath();
  const id = useId();
  const hits = useHits(text);
  const chosen = hits[Math.min(at, hits.length - 1)];
  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onGone();
    void navigate({ to: address(hit.to) });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((place) => Math.max(0, Math.min(place + step, hits.length - 1)));
    }
    if (event.key === "Enter") {
      event.preventDefault();
      go(chosen);
    }
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Page name or object ID"
        aria-expanded="true"
        aria-controls={`${id}-hits`}
        aria-activedescendant={chosen && `${id}-${chosen.to}`}
        placeholder="Page name or object ID"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={press}
        className={`${fieldStyle} h-10`}
      />
      <div
        id={`${id}-hits`}
        role="listbox"
        aria-label="Results"
        className="mt-3 grid max-h-80 overflow-y-auto"
      >
        {hits.map((hit) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
          <div
            key={hit.to}
            id={`${id}-${hit.to}`}
            role="option"
            tabIndex={-1}
            aria-selected={hit === chosen}
            onClick={() => go(hit)}
            className="flex cursor-pointer justify-between gap-4 rounded-md px-3 py-2 hover:bg-hover aria-selected:bg-hover"
          >
            <span>{hit.label}</span>
            <span className="truncate text-sm text-ink-soft">{hit.hint}</span>
          </div>
        ))}
      </div>
      {hits.length === 0 && <p className="px-3 py-2 text-ink-soft">No results</p>}
    </>
  );
}

function useHits(text: string): readonly Hit[] {
  const may = useMay();
  const sought = text.trim().toLowerCase();
  const object = pageOfId(text.trim());
  if (object) return [{ label: "Open", hint: text.trim(), to: object }];
  return navigation
    .flatMap(({ label: group, places }) => places.map((place) => ({ ...place, group })))
    .filter(({ permission }) => may(permission))
    .filter(({ label, words = "" }) => `${label} ${words}`.toLowerCase().includes(sought))
    .map(({ label, group, to }) => ({ label, hint: group ?? "", to }));
}
