import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildSdk } from "./build.ts";

const root = join(import.meta.dirname, "..");

test("the published package runs below node_modules without type stripping, and its types have no dependencies", async (t) => {
  const project = mkdtempSync(join(tmpdir(), "merchant-"));
  t.after(() => rmSync(project, { recursive: true }));
  const installed = join(project, "node_modules/@florin/sdk");
  mkdirSync(installed, { recursive: true });
  await buildSdk(installed);

  writeFileSync(
    join(project, "shop.mjs"),
    `import { Florin } from "@florin/sdk";
     import { createHmac } from "node:crypto";
     import { verify, WebhookError } from "@florin/sdk/webhooks";
     const florin = new Florin("sk_test_x", { baseUrl: "http://127.0.0.1:9", maxRetries: 0 });
     const body = '{"id":"evt_1"}';
     const t = Math.floor(Date.now() / 1000);
     const v1 = createHmac("sha256", "whsec_x").update(t + "." + body).digest("hex");
     const headers = { "service-signature": "t=" + t + ",v1=" + v1 };
     const event = await verify({ body, headers }, "whsec_x");
     const fault = await verify({ body, headers }, "whsec_y").catch((error) => error);
     console.log(event.id, fault instanceof WebhookError && fault.fault, typeof florin.charges.create);`,
  );
  const output = execFileSync(process.execPath, ["--no-strip-types", join(project, "shop.mjs")], {
    encoding: "utf8",
  });
  assert.equal(output, "evt_1 signature_mismatch function\n");

  writeFileSync(
    join(project, "shop.mts"),
    `import { Florin } from "@florin/sdk";
     import { verify } from "@florin/sdk/webhooks";
     const florin = new Florin("sk_test_x", { baseUrl: "https://pay.example.com" });
     const charge = await florin.charges.create({ amount: 1, currency: "usd", payment_method_id: "pm_card_visa" });
     const id: \`ch_\${string}\` = charge.id;
     await florin.charges.create({ amount: 1, currency: "usd", payment_method_id: "pm_card_visa", description: null });
     const paid: boolean = charge.status === "succeeded";
     // @ts-expect-error: there is no such field
     charge.amuont;
     // @ts-expect-error: a required field cannot be null
     await florin.charges.create({ amount: null, currency: "usd", payment_method_id: "pm_card_visa" });
     // @ts-expect-error: an amount is a number
     await florin.charges.create({ amount: "1", currency: "usd", payment_method_id: "pm_card_visa" });
     const event = await verify(new Request("https://shop.example"), "whsec_x");
     const type: "payment.succeeded" | "ping" | string = event.type;
     console.log(id, paid, type);`,
  );
  const tsc = join(root, "node_modules/.bin/tsc");
  const flags = "--noEmit --strict --target es2022 --lib esnext,dom --module nodenext --types";
  execFileSync(tsc, [...flags.split(" "), "", "--ignoreConfig", "shop.mts"], {
    cwd: project,
    stdio: "inherit",
  });
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(exports), [".", "./webhooks"]);
});

test("the package's README links only to packed files, anchors and https URLs", async (t) => {
  const installed = mkdtempSync(join(tmpdir(), "package-"));
  t.after(() => rmSync(installed, { recursive: true }));
  await buildSdk(installed);
  const page = readFileSync(join(installed, "README.md"), "utf8");
  for (const [, link = ""] of page.matchAll(/\]\(([^)\s]+)/g)) {
    const isPacked = !link.startsWith("..") && existsSync(join(installed, link));
    assert.ok(/^(https:|#)/.test(link) || isPacked, `it links to ${link}`);
  }
});
