import { element } from "./element.ts";

const confirmationMs = 1_500;

/** Adds to each code block a button that copies the shown code. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    const button = element("button", { type: "button", class: "copy" }, "Copy");
    // Screen readers announce the changed text of the button.
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const shown = [...block.querySelectorAll("pre")].find((pre) => pre.offsetParent !== null);
      await navigator.clipboard.writeText(shown?.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, confirmationMs);
    });
    block.append(button);
  }
}
