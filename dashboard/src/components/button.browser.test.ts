import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

/** A button that `tested.setReason` disables and enables again. */
const { mount } = await openModule(
  `import { useState } from "react";
   import { createRoot } from "react-dom/client";
   import { flushSync } from "react-dom";
   import { Button } from "./button.tsx";
   export let setReason;
   export const clicks = [];
   function Tested() {
     const [reason, set] = useState(null);
     setReason = (next) => flushSync(() => set(next));
     return <Button unavailable={reason} onClick={() => clicks.push(reason)}>Resend</Button>;
   }
   createRoot(document.getElementById("root")).render(<Tested />);`,
  import.meta.dirname,
);

declare const tested: { setReason(reason: string | null): void; clicks: unknown[] };

test("a button that becomes available between press and release of the mouse is clicked, and keeps the focus", async () => {
  const { page } = await mount();
  const button = page.getByRole("button", { name: "Resend" });
  await page.evaluate(() => tested.setReason("An attempt is in progress."));
  await page.getByRole("tooltip", { name: "" }).waitFor({ state: "attached" });
  await button.focus();
  await button.hover();
  await page.mouse.down();
  await page.evaluate(() => tested.setReason(null));
  await page.mouse.up();
  assert.deepEqual(await page.evaluate(() => tested.clicks), [null]);
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Resend");
});

test("an unavailable button explains why, and cannot be clicked", async () => {
  const { page } = await mount();
  await page.evaluate(() => tested.setReason("An attempt is in progress."));
  const button = page.getByRole("button", { name: "Resend" });
  await button.click({ force: true });
  assert.deepEqual(await page.evaluate(() => tested.clicks), []);
  const tooltip = await button.getAttribute("aria-describedby");
  assert.equal(await page.locator(`[id="${tooltip}"]`).textContent(), "An attempt is in progress.");
});
