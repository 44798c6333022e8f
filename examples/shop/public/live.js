// Keeps the page up to date: each message contains the markup of the parts that may have changed.
const parts = [...document.querySelectorAll("[data-live]")];
const shown = new Map(parts.map((part) => [part, part.innerHTML]));
const updates = new EventSource(`${location.pathname}/updates${location.search}`);

updates.addEventListener("message", ({ data }) => {
  const update = JSON.parse(data);
  for (const part of parts) {
    const markup = normalized(update[part.dataset.live] ?? "");
    // Unchanged parts are not replaced, so that a screen reader does not repeat them.
    if (markup === shown.get(part)) continue;
    shown.set(part, markup);
    const open = [...part.querySelectorAll("details[open]")].map(({ dataset }) => dataset.key);
    part.innerHTML = markup;
    for (const details of part.querySelectorAll("details")) {
      details.open = open.includes(details.dataset.key);
    }
  }
});

/** Returns the markup as the browser serializes it, so that it can be compared with the page. */
function normalized(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template.innerHTML;
}

// A page from the back-forward cache may be hours old.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
