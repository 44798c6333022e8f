import { element } from "./element.ts";

const storageKey = "florin-theme";

/** Adds a button that switches between the light and the dark theme. The dashboard uses the same choice. */
export function addThemeButton(tools: HTMLElement): void {
  const button = element("button", { type: "button", class: "button", click: change });
  const root = document.documentElement;
  const isDark = () =>
    root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;

  function change() {
    const theme = isDark() ? "light" : "dark";
    root.dataset.theme = theme;
    localStorage.setItem(storageKey, theme);
    label();
  }

  function label() {
    const [symbol, text] = isDark() ? ["☀", "Use the light theme"] : ["☾", "Use the dark theme"];
    button.replaceChildren(symbol ?? "");
    button.setAttribute("aria-label", text ?? "");
    button.title = text ?? "";
  }

  label();
  tools.append(button);
}
