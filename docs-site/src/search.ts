import type MiniSearch from "minisearch";
import { type Entry, resultsOf, searchIndexOf } from "../search-index.ts";
import { element } from "./element.ts";

const snippetLength = 120;

/** Adds the search: a button, the keys / and Ctrl-K, and a dialog. The index is loaded when the dialog first opens. */
export function addSearch(tools: HTMLElement): void {
  const input = element("input", {
    type: "search",
    placeholder: "Search guides and API",
    "aria-label": "Search guides and API",
    autocomplete: "off",
    spellcheck: "false",
    input: () => void show(),
  });
  const results = element("ul", { class: "results" });
  const note = element("p", { class: "search-note", role: "status" });
  const dialog = element(
    "dialog",
    { "aria-label": "Search" },
    element(
      "form",
      { class: "search-form", role: "search", submit: openFirst },
      input,
      element("button", { type: "button", class: "button", click: () => dialog.close() }, "Close"),
    ),
    note,
    results,
  );
  const button = element(
    "button",
    { type: "button", class: "button search-button", "aria-label": "Search", click: open },
    "Search",
    element("kbd", { "aria-hidden": "true" }, "/"),
  );
  tools.append(button);
  document.body.append(dialog);
  // The target of a click on the backdrop is the dialog itself.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  results.addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", moveFocus);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea");
    const isShortcut =
      (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isShortcut || dialog.open) return;
    event.preventDefault();
    open();
  });

  let loading: Promise<MiniSearch<Entry>> | null = null;

  function open() {
    dialog.showModal();
    input.select();
    void show();
  }

  /** Loads the index once. A failed load is repeated by the next search. */
  function load(): Promise<MiniSearch<Entry>> {
    loading ??= loadIndex().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  }

  async function show() {
    const query = input.value.trim();
    try {
      const index = await load();
      if (query !== input.value.trim()) return;
      const found = query === "" ? [] : resultsOf(index, query);
      const words = query.toLowerCase().split(/\s+/);
      results.replaceChildren(...found.map((entry) => resultOf(entry, words)));
      note.textContent =
        query === ""
          ? "Type a word, a parameter, an error code or a path."
          : found.length === 0
            ? `No results for “${query}”.`
            : "";
      note.hidden = note.textContent === "";
    } catch {
      note.hidden = false;
      note.textContent = "The search could not be loaded. Check your connection and try again.";
    }
  }

  function openFirst(event: Event) {
    event.preventDefault();
    results.querySelector("a")?.click();
  }

  function moveFocus(event: KeyboardEvent) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const links = [...results.querySelectorAll("a")];
    const current = links.indexOf(document.activeElement as HTMLAnchorElement);
    const next = event.key === "ArrowDown" ? current + 1 : current - 1;
    event.preventDefault();
    if (next < 0) input.focus();
    else links[next]?.focus();
  }
}

function resultOf({ url, page, title, text }: Entry, words: readonly string[]): HTMLElement {
  const start = Math.max(0, ...words.map((word) => text.toLowerCase().indexOf(word) - 30));
  const snippet = text.slice(start, start + snippetLength);
  return element(
    "li",
    {},
    element(
      "a",
      { href: url },
      element("b", {}, title),
      ...(page === title ? [] : [element("span", {}, page)]),
      element("p", {}, start > 0 ? `… ${snippet}` : snippet),
    ),
  );
}

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The search index returned ${response.status}.`);
  return searchIndexOf((await response.json()) as Entry[]);
}
