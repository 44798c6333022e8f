import assert from "node:assert/strict";
import { after, test } from "node:test";
import { tokenMailedTo } from "../mailbox.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";
import { hour, skipEndOfDay } from "../test-clock.ts";

const shop = await startShop({ workers: false, trustedProxies: ["127.0.0.0/8"] });
after(() => shop.close());
// The limits are per UTC day.
skipEndOfDay(shop.clock);

const used = [429, "rate_limit_error", "mail_limit_exceeded"];

const ownNetwork = "198.51.100.1";

function post(path: string, body: unknown, network = ownNetwork) {
  const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": network };
  return shop.send("POST", `/auth/v1${path}`, { body, headers });
}

/** Requests emails as fast as the rate limit allows, until the daily limit rejects a request. */
async function sendUntilRejected(path: string, email: string, networks = [ownNetwork]) {
  for (let sent = 0; sent <= 30; sent++) {
    const network = networks[sent % networks.length];
    const response = await post(path, { email }, network);
    const { status, headers, body } = response;
    if (status === 200) continue;
    if (body.error.code === "mail_limit_exceeded") return { sent, response };
    await shop.app.database.transaction((tx) => tx`delete from sign_in_attempts`);
    assert.ok(Number(headers.get("retry-after")) > 0);
    sent -= 1;
  }
  return assert.fail("There is no limit");
}

test("another person's requests for password resets do not use up or delay those of the owner", async () => {
  for (const email of [(await createPerson(shop)).email, "absent@example.com"]) {
    const strangers = await sendUntilRejected("/reset", email, ["203.0.113.7"]);
    assert.equal(strangers.sent, 5);
    assert.equal((await post("/reset", { email })).status, 200);
    // Addresses of the same IPv6 site are one network.
    const site = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"];
    assert.equal((await sendUntilRejected("/reset", `site-of-${email}`, site)).sent, 5);
  }
});

test("a request beyond the limit of its network does not revoke the owner's link", async () => {
  const { email } = await createPerson(shop);
  await sendUntilRejected("/reset", email, ["203.0.113.7"]);
  await post("/reset", { email });
  const token = await tokenMailedTo(shop, email);
  assert.equal((await post("/reset", { email }, "203.0.113.7")).status, 429);
  const password = "seven quiet lighthouses 7";
  assert.equal((await post("/reset/complete", { token, password })).status, 200);
});

test("429: one address gets at most twenty sign-up and reset emails a day, with or without an account", async () => {
  const networks = Array.from({ length: 10 }, (_, count) => `203.0.113.${count}`);
  const { email } = await createPerson(shop);
  const texts = [];
  for (const address of [email, "unregistered@example.com"]) {
    const { sent, response } = await sendUntilRejected("/reset", address, networks);
    assert.equal(sent, 20);
    const { message, code } = response.body.error;
    texts.push(`${response.status} ${code} ${message}`);
    // The limit is shared by all spellings of the address, and by both kinds of links.
    const otherSpelling = await post("/sign_up", { email: address.toUpperCase() });
    assert.deepEqual(errorOf(otherSpelling), used);
  }
  assert.equal(texts[0], texts[1]);
});

test("429: an account can send fifty invitations a day", async () => {
  const { account } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const invite = (by: typeof owner, email: string) =>
    by.api("POST", "/invitations", { email, role: "support" });
  for (let count = 0; count < 50; count++) {
    assert.equal((await invite(owner, `guest${count}@example.com`)).status, 201);
  }
  const rejected = await invite(owner, "guest50@example.com");
  assert.deepEqual(errorOf(rejected), used);
  assert.ok(Number(rejected.headers.get("retry-after")) <= 24 * 3_600);
  const { data } = (await owner.api("GET", "/invitations?limit=1")).body;
  assert.equal(data[0].email, "guest49@example.com");

  // Another account can still send invitations. After a day, the first account can send them again.
  const other = await createPerson(shop, { account: (await shop.createMerchant()).account });
  assert.equal((await invite(other, "guest50@example.com")).status, 201);
  shop.clock.advance(25 * hour);
  skipEndOfDay(shop.clock);
  const { email, password } = owner;
  await owner.send("POST", "/auth/v1/sign_in", { email, password });
  assert.equal((await invite(owner, "guest50@example.com")).status, 201);
});

test("429: one address gets at most ten invitations a day from all accounts, and can still sign up", async () => {
  const email = "popular@example.com";
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++) {
    const { account } = await shop.createMerchant();
    const owner = await createPerson(shop, { account });
    const { status } = await owner.api("POST", "/invitations", { email, role: "support" });
    statuses.push(status);
  }
  assert.deepEqual(statuses, [...Array(10).fill(201), 429, 429]);
  assert.equal((await post("/sign_up", { email })).status, 200);
});

test("concurrent requests never send more emails than the limit", async () => {
  const owner = await createPerson(shop, { account: (await shop.createMerchant()).account });
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, count) =>
      owner.api("POST", "/invitations", { email: `crowd${count}@example.com`, role: "support" }),
    ),
  );
  assert.equal(replies.filter(({ status }) => status === 201).length, 50);
  const emails = await shop.app.database.read`select 1 from mails where recipient like 'crowd%'`;
  assert.equal(emails.length, 50);
});

test("400: rejects URLs and control characters in names", async () => {
  const email = "ada.lovelace@example.com";
  await post("/sign_up", { email });
  const token = await tokenMailedTo(shop, email);
  const params = { token, password: "seven quiet lighthouses 7", country: "GB" };
  const validNames = { name: "Ada Lovelace", merchant_name: "Engines & Sons, Inc." };
  const invalidNames = [
    "Claim at https://evil.example",
    "Go to evil.example now",
    "www.evil",
    "t.co/abc",
    "x.com",
    "ПРИЗ.рф",
    "Ada\r\nBcc: all@example.com",
    "Ada\u202eevil",
    "Ada\u2028evil",
    "Ada\u0007",
  ];
  for (const name of invalidNames) {
    for (const param of ["name", "merchant_name"]) {
      const rejected = await post("/sign_up/complete", { ...params, ...validNames, [param]: name });
      assert.deepEqual([rejected.status, rejected.body.error?.param], [400, param], name);
      assert.ok(!rejected.text.includes("evil"));
    }
  }
  const owner = await createPerson(shop);
  await owner.api("POST", "/invitations", { email: "guest@example.com", role: "support" });
  const invited = {
    token: await tokenMailedTo(shop, "guest@example.com"),
    password: params.password,
  };
  const rejected = await post("/invitations/sign_up", { ...invited, name: "evil.example" });
  assert.deepEqual([rejected.status, rejected.body.error?.param], [400, "name"]);

  for (const name of [
    "J.R.R. Tolkien",
    "Dr. Ada O'Neil-Müller",
    "李小龍",
    "نرگس‌ آبی",
    "T.J. Maxx 2.0",
  ]) {
    const response = await post("/sign_up/complete", {
      ...params,
      ...validNames,
      name,
      token: "a".repeat(43),
    });
    assert.equal(response.body.error.code, "link_invalid", name);
  }
  assert.equal((await post("/sign_up/complete", { ...params, ...validNames })).status, 201);
});
