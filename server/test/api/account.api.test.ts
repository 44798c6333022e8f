import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Browser, createCheckout } from "../checkout.ts";
import { pngOf } from "../image.ts";
import { connectedAcquirer } from "../live-acquirer.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ liveAcquirer: () => connectedAcquirer });
const session = { amount: 1_999, currency: "usd" };
after(() => shop.close());

test("200: an account shows its name, its status, and whether this key can charge", async () => {
  const { account, key } = await shop.createMerchant({ allowedOrigins: ["https://shop.example"] });
  const { status, body } = await shop.get("/account", { as: key });
  assert.equal(status, 200);
  const { created, ...fields } = body;
  assert.deepEqual(fields, {
    id: account,
    object: "account",
    livemode: false,
    name: "Fieldware",
    country: "US",
    status: "test_only",
    application_status: "draft",
    approved_at: null,
    charges_enabled: true,
    payout_schedule: "manual",
    allowed_origins: ["https://shop.example"],
    email_receipts: false,
    support_email: null,
    support_phone: null,
    statement_descriptor: null,
    time_zone: null,
    brand_color: null,
    background_color: null,
    logo_path: null,
    version: 1,
  });
  assert.ok(Math.abs(created - shop.clock.now().getTime() / 1000) < 60);
});

test("200: an account that is not approved can charge in test mode, and has no live keys yet", async () => {
  const { key } = await shop.createMerchant();
  const { charges_enabled, approved_at } = (await shop.get("/account", { as: key })).body;
  assert.deepEqual([charges_enabled, approved_at], [true, null]);
});

test("account.updated contains the previous values of the changed fields", async () => {
  const { key } = await shop.createMerchant();
  await shop.post("/account", { payout_schedule: "daily" }, { as: key });
  const [event] = (await shop.get("/events?type=account.updated", { as: key })).body.data;
  const { object, previous_attributes } = event.data;
  assert.deepEqual([object.payout_schedule, object.version], ["daily", 2]);
  assert.deepEqual(previous_attributes, { payout_schedule: "manual", version: 1 });
});

test("200: an account's origins may frame the sessions of their mode that set no origins of their own, and a change emits an event", async () => {
  const { account, key: testKey } = await shop.createMerchant({ status: "approved" });
  const { secret: liveKey } = await shop.issueKey(account, true);
  const origins = ["https://shop.example", "https://pay.shop.example:8443"];
  const set = await shop.post("/account", { allowed_origins: origins }, { as: liveKey });
  assert.deepEqual([set.status, set.body.allowed_origins, set.body.version], [200, origins, 2]);
  assert.equal(set.body.payout_schedule, "manual");

  const frameAncestorsOf = async (as: typeof liveKey, fields = {}) => {
    const { body } = await shop.post("/checkout_sessions", { ...session, ...fields }, { as });
    const { pathname } = new URL(body.embed_url);
    const { headers } = await shop.send("GET", pathname);
    return /frame-ancestors ([^;]+)/.exec(headers.get("content-security-policy") ?? "")?.[1];
  };
  await until(
    () => frameAncestorsOf(liveKey),
    (ancestors) => ancestors === `'self' ${origins.join(" ")}`,
  );
  assert.equal(
    await frameAncestorsOf(liveKey, { allowed_origins: ["https://other.example"] }),
    "'self' https://other.example",
  );

  const ofTest = (await shop.get("/account", { as: testKey })).body;
  assert.deepEqual([ofTest.allowed_origins, ofTest.version], [[], 1]);
  assert.equal((await frameAncestorsOf(testKey))?.includes("shop.example"), false);
  assert.deepEqual((await shop.get("/events?type=account.updated", { as: testKey })).body.data, []);

  const [event] = (await shop.get("/events?type=account.updated", { as: liveKey })).body.data;
  assert.deepEqual(event.data.previous_attributes, { allowed_origins: [], version: 1 });
  const none = await shop.post("/account", { allowed_origins: [] }, { as: liveKey });
  assert.deepEqual(none.body.allowed_origins, []);
});

test("400: rejects an origin that contains more than scheme, host and port, and a list of more than twenty origins", async () => {
  const { key } = await shop.createMerchant();
  for (const [origins, param] of [
    [["https://shop.example/checkout"], "allowed_origins[0]"],
    [["https://shop.example", "javascript:alert(1)"], "allowed_origins[1]"],
    [["https://shop.example 'unsafe-inline'"], "allowed_origins[0]"],
    [["*"], "allowed_origins[0]"],
    [Array.from({ length: 21 }, (_, n) => `https://${n}.example`), "allowed_origins"],
  ] as const) {
    const rejected = await shop.post("/account", { allowed_origins: origins }, { as: key });
    assert.deepEqual([rejected.status, rejected.body.error?.param], [400, param], origins[0]);
  }
});

for (const [status, chargesInTest, chargesInLive] of [
  ["approved", true, true],
  ["suspended", true, false],
  ["closed", false, false],
] as const) {
  test(`200: an account that is ${status} can${chargesInTest ? "" : "not"} charge in test mode and can${chargesInLive ? "" : "not"} in live mode`, async () => {
    const { account, key } = await shop.createMerchant({ status });
    const { secret } = await shop.issueKey(account, true);
    const inTest = await shop.get("/account", { as: key });
    const inLive = await shop.get("/account", { as: secret });
    assert.deepEqual(
      [inTest.body.charges_enabled, inLive.body.charges_enabled],
      [chargesInTest, chargesInLive],
    );
  });
}

const profile = {
  name: "Fieldware & Daughters",
  support_email: "help@fieldware.example",
  support_phone: "+1 555 010 0199",
  statement_descriptor: "FIELDWARE SHOP",
  time_zone: "Europe/Berlin",
  brand_color: "#7a1fa2",
  background_color: "#102030",
};

const upload = (person: TestPerson, content: Buffer, mediaType = "image/png") =>
  person.api("POST", "/account/logo", content, false, { "content-type": mediaType });

test("200: the profile of an account is shared by both modes, and its change is audited and announced in both", async () => {
  const { account, key } = await shop.createMerchant({ status: "approved" });
  const { secret: live } = await shop.issueKey(account, true);
  const changed = await shop.post("/account/profile", profile, { as: live });
  assert.equal(changed.status, 200, changed.text);
  const inTest = (await shop.get("/account", { as: key })).body;
  for (const [name, value] of Object.entries(profile)) assert.equal(inTest[name], value, name);
  assert.equal(inTest.version, 2);
  for (const as of [key, live]) {
    const [event] = (await shop.get("/events?type=account.updated", { as })).body.data;
    assert.equal(event.data.previous_attributes.name, "Fieldware");
    assert.equal(event.data.previous_attributes.brand_color, null);
  }
  const owner = await createPerson(shop, { account });
  const [entry] = (await owner.api("GET", "/audit_log")).body.data;
  assert.deepEqual([entry.action, entry.after], ["account.updated", profile]);
  assert.equal(entry.before.name, "Fieldware");

  const cleared = await shop.post("/account/profile", { support_phone: null }, { as: live });
  const { support_phone, support_email } = cleared.body;
  assert.deepEqual([support_phone, support_email], [null, profile.support_email]);
});

test("the card form shows the name, logo, colors and support contact of the profile", async () => {
  const { account, key } = await shop.createMerchant();
  const isNamed = (browser: Browser) =>
    until(browser.readSession, ({ body }) => body.support_email === profile.support_email);
  await shop.post("/account/profile", profile, { as: key });
  const owner = await createPerson(shop, { account });
  const logo = (await upload(owner, pngOf(64, 32))).body.logo_path;
  const browser = await createCheckout(shop, {}, key);
  await isNamed(browser);
  const open = await until(browser.readSession, ({ body }) => body.logo_path === logo);
  await browser.pay("4242424242424242");
  const ended = await browser.readSession();
  assert.deepEqual([open.body.status, ended.body.status], ["open", "complete"]);
  for (const { body } of [open, ended]) {
    assert.deepEqual(
      [body.merchant_name, body.logo_path, body.support_email, body.support_phone],
      [profile.name, logo, profile.support_email, profile.support_phone],
    );
  }
  const page = await shop.send("GET", `/embed/${browser.session}`);
  const [, stylesheet = ""] = /href="(\/branding\/[^"]+)"/.exec(page.text) ?? [];
  const css = await shop.send("GET", stylesheet);
  assert.match(css.headers.get("content-type") ?? "", /^text\/css/);
  assert.match(css.text, /--accent:#7a1fa2/);
  assert.match(css.text, /background:#102030/);
  assert.equal(logo.startsWith(`/branding/${account}/`), true);
});

test("a logo is served unchanged until it is replaced or deleted", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const first = (await upload(owner, pngOf(40, 40))).body.logo_path;
  const served = await fetch(`${shop.url}${first}`);
  assert.deepEqual(Buffer.from(await served.arrayBuffer()), pngOf(40, 40));
  assert.deepEqual(
    ["content-type", "x-content-type-options", "content-security-policy"].map((name) =>
      served.headers.get(name),
    ),
    ["image/png", "nosniff", "default-src 'none'; sandbox"],
  );
  const second = (await upload(owner, pngOf(50, 40))).body.logo_path;
  assert.equal((await shop.send("GET", first)).status, 404);
  const elsewhere = second.replace(account, shop.merchant.account);
  assert.equal((await shop.send("GET", elsewhere)).status, 404);
  const { body } = await owner.api("DELETE", "/account/logo");
  assert.deepEqual([body.logo_path, body.version], [null, 4]);
  assert.equal((await shop.send("GET", second)).status, 404);
});

test("400: rejects a logo that is not a complete PNG or JPEG image of an accepted size", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  for (const [content, message] of [
    [svg, /must be a PNG or JPEG file/],
    [pngOf(31, 400), /from 32 to 2048 pixels wide and high\. Got 31 × 400/],
    [pngOf(64, 2_049), /Got 64 × 2049/],
    [pngOf(64, 64).subarray(0, 12), /must be a complete image/],
    [Buffer.from("\xff\xd8\xff\xe1\x00\x10Exif\0\0MM", "latin1"), /must not contain EXIF metadata/],
    [Buffer.concat([pngOf(64, 64), Buffer.from("eXIf")]), /must not contain EXIF metadata/],
  ] as const) {
    const rejected = await upload(owner, content);
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "parameter_invalid",
      "body",
    ]);
    assert.match(rejected.body.error.message, message);
  }
  assert.equal((await upload(owner, svg, "image/svg+xml")).status, 415);
  const large = await upload(owner, Buffer.concat([pngOf(64, 64), Buffer.alloc(256 * 1024)]));
  assert.equal(large.status, 413);
  assert.match(large.body.error.message, /at most 256 KiB/);
});

test("400: rejects a value of the profile that customers could not read or that card networks do not accept", async () => {
  const { key } = await shop.createMerchant();
  for (const [field, value, message] of [
    ["name", "Visit www.evil.example", /must not contain a web address/],
    ["support_email", "help", /must be an email address/],
    ["support_phone", "call me", /has an invalid format/],
    ["statement_descriptor", "FLOR", /from 5 to 22 characters/],
    ["statement_descriptor", "12345 678", /at least one letter/],
    ["statement_descriptor", "FIELD*WARE", /character that is not allowed/],
    ["statement_descriptor", "FELDWÄRE", /ASCII/],
    ["time_zone", "Europe/Atlantis", /must be a time zone of the IANA database/],
    ["time_zone", "+02:00", /must be a time zone of the IANA database/],
    ["brand_color", "purple", /has an invalid format\. Color of the card form's buttons/],
    ["brand_color", "#ffd400", /at least 3:1 with white\. Got 1\.4:1/],
  ] as const) {
    const rejected = await shop.post("/account/profile", { [field]: value }, { as: key });
    assert.deepEqual([rejected.status, rejected.body.error?.param], [400, field], String(value));
    assert.match(rejected.body.error.message, message);
  }
});

test("a charge without a statement descriptor gets the account's, in the API and in the card form", async () => {
  const { key } = await shop.createMerchant();
  await shop.post("/account/profile", { statement_descriptor: "FIELDWARE SHOP" }, { as: key });
  const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
  await until(
    async () => (await shop.post("/charges", visa, { as: key })).body.statement_descriptor,
    (descriptor) => descriptor === "FIELDWARE SHOP",
  );
  const own = { ...visa, statement_descriptor: "FIELDWARE 7" };
  const charged = await shop.post("/charges", own, { as: key });
  assert.equal(charged.body.statement_descriptor, "FIELDWARE 7");
  const browser = await createCheckout(shop, {}, key);
  await browser.pay("4242424242424242");
  const path = `/charges?checkout_session_id=${browser.session}`;
  const [paid] = (await shop.get(path, { as: key })).body.data;
  assert.equal(paid.statement_descriptor, "FIELDWARE SHOP");
});
