const storageKey = "florin-docs-language";

/** Makes the tabs of the snippets work. The chosen language applies to all snippets and later pages. */
export function addLanguageTabs(): void {
  const lists = [...document.querySelectorAll<HTMLElement>('[role="tablist"]')];
  for (const list of lists) {
    list.addEventListener("click", ({ target }) => {
      const tab = target instanceof Element ? target.closest<HTMLElement>('[role="tab"]') : null;
      if (tab) choose(tab);
    });
    list.addEventListener("keydown", (event) => {
      const tabs = tabsOf(list);
      const current = tabs.indexOf(document.activeElement as HTMLElement);
      const next = nextIndex(event.key, current, tabs.length);
      const tab = next === null ? undefined : tabs[next];
      if (!tab) return;
      event.preventDefault();
      choose(tab);
      tab.focus();
    });
  }
  const stored = localStorage.getItem(storageKey);
  if (stored) showLanguage(stored);

  /**
   * Shows the tab's language in all snippets. Scrolls the page, so that the tab stays in place when the snippets
   * change.
   */
  function choose(tab: HTMLElement) {
    const language = tab.dataset.tab ?? "";
    const before = tab.getBoundingClientRect().top;
    localStorage.setItem(storageKey, language);
    showLanguage(language);
    scrollBy(0, tab.getBoundingClientRect().top - before);
  }

  function showLanguage(language: string) {
    for (const list of lists) {
      const tabs = tabsOf(list);
      if (!tabs.some(({ dataset }) => dataset.tab === language)) continue;
      for (const tab of tabs) {
        const selected = tab.dataset.tab === language;
        tab.setAttribute("aria-selected", String(selected));
        tab.tabIndex = selected ? 0 : -1;
        const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
        if (panel) panel.hidden = !selected;
      }
    }
  }
}

function tabsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
}

function nextIndex(key: string, current: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
      return (current + 1) % count;
    case "ArrowLeft":
      return (current - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
