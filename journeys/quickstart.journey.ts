import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { journey } from "./journey.ts";
import { signUp } from "./person.ts";

const run = promisify(execFile);

journey(
  "a new merchant creates a key, runs the example command unchanged, and pays in a form with custom colors",
  async (browser) => {
    const { page } = await signUp(browser);
    await page.getByRole("link", { name: "First payment" }).click();
    await page.getByRole("heading", { name: "First payment", level: 1 }).waitFor();
    await page.getByText("Waiting for the first payment…").waitFor();

    await page.getByRole("button", { name: "Create test key" }).click();
    const key = await textOf(page.getByRole("region", { name: "test key", exact: true }));
    assert.match(key, /^sk_test_\w+$/);

    // Run the displayed command, as a reader does.
    const command = await textOf(page.getByRole("region", { name: "Payment example (curl)" }));
    assert.ok(command.includes(key));

    // The page does not report a declined payment as the first payment.
    const declined = command.replace("pm_card_visa", "pm_card_visa_chargeDeclined");
    await run("sh", ["-c", declined.replace("first-payment", "declined-payment")]);
    await page.waitForResponse((response) => response.url().includes("/charges?"));
    await page.getByText("Waiting for the first payment…").waitFor();

    const { stdout } = await run("sh", ["-c", command]);
    assert.equal(JSON.parse(stdout).status, "succeeded");
    await page.getByText("Latest payment: $19.99").waitFor();

    await page.getByRole("button", { name: "Open playground" }).click();
    const form = page.frameLocator("iframe");
    await form.locator("#number").waitFor();
    await page.getByLabel("Theme").selectOption("plain");
    await page.getByLabel("Accent").fill("#7a1f3d");
    const snippet = page.getByRole("region", { name: "page example" });
    await snippet.getByText('accent: "#7a1f3d"').waitFor();
    await form.locator(".pay").waitFor();
    // Wait for the end of the color transition.
    await form.locator(".pay").evaluate(async (button, wanted) => {
      while (getComputedStyle(button).backgroundColor !== wanted) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }, "rgb(122, 31, 61)");

    await form.getByRole("button", { name: "Success" }).click();
    await form.locator(".pay").click();
    await page.getByText("Payment succeeded.").waitFor();
    await page.getByRole("heading", { name: /^Embed the card form.*completed/ }).waitFor();

    // After the reload, the page no longer shows the key. The account still has the key, so the step is completed.
    await page.reload();
    await page.getByRole("heading", { name: /^Get a test key.*completed/ }).waitFor();
  },
);

async function textOf(place: Locator): Promise<string> {
  await place.waitFor();
  // Lines of code are separate elements, so the text content has no line breaks.
  const [text = ""] = await place.allInnerTexts();
  return text.trim();
}
