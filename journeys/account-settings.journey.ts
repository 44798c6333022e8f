import assert from "node:assert/strict";
import type { Account } from "@florin/contract/account.ts";
import { pngOf } from "@florin/server/test/image.ts";
import { journey } from "./journey.ts";
import { callApi, createAccount } from "./person.ts";

journey(
  "the payment page has the name, logo, colors and support contact that a merchant entered in the settings",
  async (browser) => {
    const { page } = await createAccount(browser);
    const home = page.url().replace(/\/test.*/, "/test");
    await page.goto(`${home}/settings`);
    await page.getByLabel("Business name").fill("Kiosk Nord");
    await page.getByLabel("Support email").fill("help@kiosk.example");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Business details saved.").waitFor();
    await page.getByRole("button", { name: /Kiosk Nord/ }).waitFor();

    const color = page.getByLabel("Button color", { exact: true });
    await color.fill("#ffd400");
    await page.getByText(/hard to see on white \(1\.4:1\)/).waitFor();
    await color.fill("#7a1fa2");
    await page.getByLabel("Background color", { exact: true }).fill("#102030");
    await page.getByRole("button", { name: "Save colors" }).click();
    await page.getByText("Branding saved.").waitFor();
    const logo = { name: "logo.png", mimeType: "image/png", buffer: pngOf(64, 64) };
    await page.getByLabel("Logo", { exact: true }).setInputFiles(logo);
    await page.getByRole("img", { name: "Your logo" }).waitFor();

    await page.getByText("This service has no mail server.").waitFor();
    await page.getByLabel("Email receipts").click();
    await page.getByText("Receipts turned on.").waitFor();
    assert.ok(await page.getByLabel("Email receipts").isChecked());

    const price = { amount: 4200, currency: "eur" };
    const { embed_url } = await callApi<{ embed_url: string }>(page, "/checkout_sessions", price);
    await page.goto(embed_url);
    await page.getByRole("link", { name: "help@kiosk.example" }).waitFor();
    assert.equal(await page.locator(".merchant-name").textContent(), "Kiosk Nord");
    const styleOf = (selector: string, property: string) =>
      page
        .locator(selector)
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    assert.equal(await styleOf(".pay", "background-color"), "rgb(122, 31, 162)");
    assert.equal(await styleOf("body", "background-color"), "rgb(16, 32, 48)");
    assert.equal(await styleOf(".amount", "color"), "rgb(255, 255, 255)");
    const width = await page.locator("img.logo").evaluate(async (logo) => {
      const image = logo as HTMLImageElement;
      // The width is 0 until the image is loaded.
      await image.decode();
      return image.naturalWidth;
    });
    assert.equal(width, 64);
  },
);

journey(
  "saving the business details does not revert what another person has changed in the meantime",
  async (browser) => {
    const { page } = await createAccount(browser);
    await page.goto(`${page.url().replace(/\/test.*/, "/test")}/settings`);
    await page.getByLabel("Support phone").fill("+1 555 010 0199");
    await callApi(page, "/account/profile", { statement_descriptor: "KIOSK NORD" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Business details saved.").waitFor();
    const account = await callApi<Account>(page, "/account");
    assert.equal(account.statement_descriptor, "KIOSK NORD");
    assert.match(account.support_phone ?? "", /0199$/);
    assert.equal(await page.getByLabel("Statement descriptor").inputValue(), "KIOSK NORD");

    // Another person changes a field that this person has saved before. Later saves do not revert the change.
    await callApi(page, "/account/profile", { support_phone: "+1 555 010 0142" });
    await page.getByLabel("Support email").fill("help@kiosk.example");
    const saved = page.waitForResponse("**/account/profile");
    await page.getByLabel("Support email").press("Enter");
    await saved;
    await page.getByLabel("Business name").fill("Kiosk Nord");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: /Kiosk Nord/ }).waitFor();
    const later = await callApi<Account>(page, "/account");
    assert.match(later.support_phone ?? "", /0142$/);
    assert.equal(later.support_email, "help@kiosk.example");
  },
);
