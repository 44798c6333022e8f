import { escapeHtml } from "./escape-html.ts";

/** Renders a description, with `code` in backticks. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

export function codeBlock(caption: string, code: string): string {
  return `<figure class="code"><figcaption>${escapeHtml(caption)}</figcaption><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></figure>`;
}

export function table(headings: readonly string[], rows: readonly string[]): string {
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join("");
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

export function row(id: string | null, cells: readonly string[]): string {
  const attribute = id === null ? "" : ` id="${escapeHtml(id)}"`;
  return `<tr${attribute}>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}
