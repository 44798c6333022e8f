import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/**
 * The sets of axe rules: all rules, only the contrast rules, or all except the contrast rules, which take most of the
 * time.
 */
export type CheckedRules = "all" | "contrast" | "all_but_contrast";

/**
 * Returns axe's violations in a document, one line per element. Runs axe through the debugger, because the CSP blocks a
 * script element.
 */
export async function violationsOf(
  document: Page | Frame,
  rules: CheckedRules = "all",
): Promise<string[]> {
  if (!(await document.evaluate(() => "axe" in globalThis))) await document.evaluate(axeSource);
  const options = {
    // Omits the selectors of elements, and the details of elements without violations.
    resultTypes: ["violations"],
    selectors: false,
    ...(rules === "contrast" && { runOnly: ["color-contrast"] }),
    ...(rules === "all_but_contrast" && { rules: { "color-contrast": { enabled: false } } }),
  };
  return document.evaluate(async (options) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, options);
}
