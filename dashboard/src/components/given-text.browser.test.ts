import assert from "node:assert/strict";
import { test } from "node:test";
import { openModule } from "../../test/browser.ts";

const { mount } = await openModule(
  `import { createRoot } from "react-dom/client";
   import { KeyValues } from "./key-values.tsx";
   import { WrappingIdentifier } from "./wrapping-identifier.tsx";
   createRoot(document.getElementById("root")).render(<>
     <h1><WrappingIdentifier text={"Anna \u202egpj.exe"} /></h1>
     <KeyValues items={[["order\u202e1", "Anna \u202egpj.exe"], ["Arabic", "شركة النور (2019)"], ["None", null]]} />
   </>);`,
  import.meta.dirname,
);

test("texts of merchants and customers are shown in the order of their letters", async () => {
  const { page } = await mount();
  await page.locator("dd").first().waitFor();
  assert.equal(await page.locator("h1").textContent(), "Anna gpj.exe");
  assert.deepEqual(await page.locator("dt").allTextContents(), ["order1", "Arabic", "None"]);
  assert.deepEqual(await page.locator("dd").allTextContents(), [
    "Anna gpj.exe",
    "شركة النور (2019)",
    "—",
  ]);
  const directions = await page
    .locator("dd > [dir]")
    .evaluateAll((values) => values.map((value) => getComputedStyle(value).direction));
  assert.deepEqual(directions, ["ltr", "rtl"]);
});
