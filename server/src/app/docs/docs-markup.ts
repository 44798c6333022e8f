import { escapeHtml } from "../../platform/http/escape-html.ts";
import { type Language, languages } from "./snippets.ts";

/** Returns the HTML of an identifier that wraps only after an underscore. */
export function breakable(identifier: string): string {
  return escapeHtml(identifier).replaceAll("_", "_<wbr>");
}

/** Renders a description, with `code` in backticks. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** The languages for which the scripts of the pages highlight the syntax. */
export type CodeLanguage =
  | "bash"
  | "go"
  | "java"
  | "javascript"
  | "json"
  | "php"
  | "plaintext"
  | "python"
  | "typescript"
  | "xml";

const languageOfTab: Readonly<Record<Language, CodeLanguage>> = {
  curl: "bash",
  node: "javascript",
  python: "python",
  go: "go",
  php: "php",
  java: "java",
};

export function codeBlock(caption: string, code: string, language: CodeLanguage): string {
  return `<figure class="code"><figcaption>${escapeHtml(caption)}</figcaption>${pre(code, language, caption)}</figure>`;
}

function pre(code: string, language: CodeLanguage, label: string): string {
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code data-language="${language}">${escapeHtml(code)}</code></pre>`;
}

/**
 * Renders a snippet with a tab for each language. `id` makes the IDs of the tabs unique within the page. Without
 * scripts, the page shows the first language only.
 */
export function snippetTabs(
  id: string,
  snippets: Readonly<Partial<Record<Language, string>>>,
): string {
  const shown = (Object.keys(languages) as Language[]).filter((one) => snippets[one] !== undefined);
  const tabs = shown.map(
    (language, index) =>
      `<button type="button" role="tab" id="${id}-${language}" aria-controls="${id}-${language}-panel" aria-selected="${index === 0}" data-tab="${language}"${index === 0 ? "" : ` tabindex="-1"`}>${languages[language]}</button>`,
  );
  const panels = shown.map(
    (language, index) =>
      `<div role="tabpanel" id="${id}-${language}-panel" aria-labelledby="${id}-${language}"${index === 0 ? "" : " hidden"}>${pre(snippets[language] ?? "", languageOfTab[language], `${languages[language]} example`)}</div>`,
  );
  return `<div class="code tabs"><div class="tab-bar"><div role="tablist" aria-label="Language">${tabs.join("")}</div></div>${panels.join("")}</div>`;
}

export function table(headings: readonly string[], rows: readonly string[]): string {
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join("");
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

export function row(id: string | null, cells: readonly string[]): string {
  const attribute = id === null ? "" : ` id="${escapeHtml(id)}"`;
  return `<tr${attribute}>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

/** Returns a code block in Markdown. */
export function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}
