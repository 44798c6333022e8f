import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildSdk } from "./build.ts";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules/.bin/tsc");

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
    `import { Florin, responseOf, type WebhookEvent } from "@florin/sdk";
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
     if (event.type === "payment.succeeded") {
       const order: string | null = event.data.object.client_reference_id;
       const currency: "usd" | "eur" | string = event.data.object.currency;
       console.log(order, currency);
     }
     if (event.type === "account.updated") event.data.previous_attributes;
     // @ts-expect-error: the object of an event of an unknown type has no such field
     event.data.object.client_reference_id;
     // @ts-expect-error: there is no such type
     if (event.type === "payment.suceeded") console.log();
     // @ts-expect-error: there is no such currency
     await florin.charges.create({ amount: 1, currency: "dollar", payment_method_id: "pm_card_visa" });
     const requestId: string | undefined = responseOf(charge).requestId;
     for await (const piece of await florin.charges.download({ status: "failed" })) piece.length;
     const events: WebhookEvent[] = (await florin.events.list()).data;
     console.log(id, paid, requestId, events);`,
  );
  const flags = "--noEmit --strict --target es2022 --lib esnext,dom --module nodenext --types";
  execFileSync(tsc, [...flags.split(" "), "", "--ignoreConfig", "shop.mts"], {
    cwd: project,
    stdio: "inherit",
  });
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.deepEqual(Object.keys(exports), [".", "./webhooks"]);
});

test("the published types compile in TypeScript 5.6, in which Uint8Array is not generic", async (t) => {
  const project = mkdtempSync(join(tmpdir(), "merchant-"));
  t.after(() => rmSync(project, { recursive: true }));
  await buildSdk(join(project, "node_modules/@florin/sdk"));
  writeFileSync(
    join(project, "shop.mts"),
    `import { Florin } from "@florin/sdk";
     export type { WebhookEvent } from "@florin/sdk/webhooks";
     const florin = new Florin("sk_test_x", { baseUrl: "https://pay.example.com" });
     const file = await florin.disputes.downloadDocument("dp_1");
     const bytes: Uint8Array = await file.bytes();
     await florin.disputeFiles.create({
       dispute_id: "dp_1",
       file_name: "a.pdf",
       media_type: "application/pdf",
       content: bytes,
     });`,
  );
  // @arethetypeswrong/core depends on TypeScript 5.6, so this version is already installed.
  const require = createRequire(createRequire(import.meta.url).resolve("@arethetypeswrong/core"));
  assert.match((require("typescript") as { version: string }).version, /^5\.6\./);
  const flags = "--noEmit --strict --target es2022 --lib esnext,dom --module nodenext";
  execFileSync(
    process.execPath,
    [require.resolve("typescript/bin/tsc"), ...flags.split(" "), "shop.mts"],
    { cwd: project, stdio: "inherit" },
  );
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

/** Declarations of the merchant's own functions and values that the code of the guides uses. */
const merchantCode = `
import type { Charge, CheckoutSession, Dispute, Florin, PaymentMethod, WebhookEvent } from "@florin/sdk";
type Transaction = {
  insertEventId(id: string): Promise<boolean>;
  markPaid(order: string | null): Promise<void>;
};
declare global {
  const florin: Florin;
  const order: { id: string };
  const charge: Charge;
  const card: PaymentMethod;
  const dispute: Dispute;
  const session: CheckoutSession;
  const event: WebhookEvent;
  const request: Request;
  const rawBody: Uint8Array;
  const id: string;
  const payment_method_id: string;
  const lastSeen: number;
  const verify: typeof import("@florin/sdk/webhooks").verify;
  const database: { transaction(work: (tx: Transaction) => Promise<void>): Promise<void> };
  function handle(event: WebhookEvent): Promise<void>;
  function markPaid(order: string | null, event: WebhookEvent): Promise<void>;
  function releaseUnpaid(order: string | null): Promise<void>;
  function recordDecline(order: string | null, event: WebhookEvent): Promise<void>;
  function showToCustomer(message: string | null): void;
  function retryLater(idempotencyKey: string | undefined): void;
}`;

test("the code of the guides compiles in strict TypeScript with the published types", async (t) => {
  // The directory is inside node_modules, because the code of the guides imports the installed web frameworks.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const project = mkdtempSync(join(cache, "guides-"));
  t.after(() => rmSync(project, { recursive: true }));
  await buildSdk(join(project, "node_modules/@florin/sdk"));
  writeFileSync(join(project, "merchant.d.ts"), merchantCode);
  const guides = readdirSync(join(root, "docs/guides")).map((name) => join("docs/guides", name));
  const files = [...guides, "sdk/README.md"].flatMap((page) => {
    const blocks = [...readFileSync(join(root, page), "utf8").matchAll(/```[jt]s\n([\s\S]*?)```/g)];
    return blocks.flatMap(([, code = ""], index) => {
      // Skips code for browsers, which uses the loader's global variable.
      if (code.includes("Florin.mount(")) return [];
      const file = `${page.replaceAll("/", "-")}-${index + 1}.mts`;
      writeFileSync(join(project, file), `${code}\nexport {};\n`);
      return [file];
    });
  });
  assert.ok(files.length > 20, String(files.length));
  const compile = (file: string | readonly string[]) => {
    const options = "--noEmit --strict --target es2022 --lib esnext --module nodenext";
    const more = ["--types", "node", "--skipLibCheck", "--ignoreConfig", "merchant.d.ts"];
    return spawnSync(tsc, [...options.split(" "), ...more, ...file], {
      cwd: project,
      encoding: "utf8",
    }).stdout;
  };
  assert.equal(compile(files), "");
  writeFileSync(
    join(project, "wrong.mts"),
    'if (event.type === "payment.paid") await handle(event);',
  );
  assert.match(compile(["wrong.mts"]), /TS2367/);
});
