import { colorCode } from "./color-code.ts";
import { addCopyButtons } from "./copy-buttons.ts";
import { addLanguageTabs } from "./language-tabs.ts";
import { markSection } from "./mark-section.ts";
import { addSearch } from "./search.ts";
import { addTestKey } from "./test-key.ts";
import { addThemeButton } from "./theme-button.ts";

const tools = document.getElementById("tools");
if (tools) {
  addSearch(tools);
  addThemeButton(tools);
}
// Scrolls the navigation to the link of this page, because the navigation is longer than the window.
const current = document.querySelector<HTMLElement>('.side [aria-current="page"]');
if (current) current.closest(".side")?.scrollTo(0, current.offsetTop - innerHeight / 2);
colorCode();
addLanguageTabs();
addCopyButtons();
markSection();
void addTestKey();
