import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { Dialog } from "../components/dialog.tsx";
import { fieldStyle } from "../components/field.tsx";
import { paletteEvent } from "./open-event.ts";
import { type Hit, usePaletteHits } from "./use-palette-hits.ts";

/** The command palette (⌘K), which finds pages, actions, payments, customers and other objects. */
export function CommandPalette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const show = () => setOpen(true);
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener(paletteEvent, show);
    addEventListener("keydown", press);
    return () => {
      removeEventListener(paletteEvent, show);
      removeEventListener("keydown", press);
    };
  }, []);
  return (
    <Dialog open={open} title="Search" onClose={() => setOpen(false)}>
      <Finder onGone={() => setOpen(false)} />
    </Dialog>
  );
}

const prompt = "Search payments, customers, pages and actions";

function Finder({ onGone }: { onGone: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const id = useId();
  const { groups, pending } = usePaletteHits(text);
  const hits = groups.flatMap((group) => group.hits);
  const position = Math.min(at, hits.length - 1);
  const chosen = hits[position];
  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onGone();
    if (typeof hit.open === "function") return hit.open();
    const [to = "", query] = hit.open.split("?");
    void navigate({ to, search: Object.fromEntries(new URLSearchParams(query)) as never });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(position + step, hits.length - 1)));
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
        aria-label={prompt}
        aria-expanded="true"
        aria-controls={`${id}-hits`}
        aria-activedescendant={chosen && `${id}-${chosen.key}`}
        placeholder={prompt}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={press}
        className={`${fieldStyle} h-10`}
      />
      {/* The height does not depend on the number of results, so that the dialog does not move while the person types. */}
      <div className="mt-3 h-[min(24rem,60dvh)] overflow-y-auto">
        <div
          id={`${id}-hits`}
          role="listbox"
          aria-label="Results"
          className="grid grid-cols-1 gap-3"
        >
          {groups.map(({ label, hits: some }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be part of a listbox
            <div key={label} role="group" aria-label={label}>
              <p aria-hidden="true" className="px-3 pb-1 text-xs font-medium text-ink-soft">
                {label}
              </p>
              {some.map((hit) => (
                <Option
                  key={hit.key}
                  id={`${id}-${hit.key}`}
                  hit={hit}
                  selected={hit === chosen}
                  onClick={() => go(hit)}
                />
              ))}
            </div>
          ))}
        </div>
        <p role="status" className="px-3 py-2 text-ink-soft">
          {pending ? "Searching…" : hits.length === 0 && "No results"}
        </p>
      </div>
    </>
  );
}

type OptionProps = {
  readonly id: string;
  readonly hit: Hit;
  readonly selected: boolean;
  readonly onClick: () => void;
};

function Option({ id, hit: { icon: Icon, label, hint }, selected, onClick }: OptionProps) {
  useEffect(() => {
    if (selected) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id, selected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      onClick={onClick}
      className="flex cursor-pointer items-center gap-3 rounded-md px-3 py-2 hover:bg-hover aria-selected:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
      {/* On a phone, the hint is below the label, because both do not fit into one line. */}
      <span className="flex min-w-0 flex-1 items-center gap-x-3 max-sm:flex-col max-sm:items-start">
        <span className="max-w-full min-w-0 flex-1 truncate">{label}</span>
        <span className="truncate text-sm text-ink-soft max-sm:max-w-full sm:max-w-2/5">
          {hint}
        </span>
      </span>
    </div>
  );
}
