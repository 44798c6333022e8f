import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { copyCharge } from "../copy-charge.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

/** The longest possible metadata. A line of a download with it is 50 KB long. */
const longMetadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`key ${index}`, "é".repeat(500)]),
);

test("200: every charge that matches the filter is one line, newest first, across several pages", async () => {
  const { body: charge } = await shop.post("/charges", visa);
  // More charges than two pages contain.
  const copies = await copyCharge(shop.app.database, charge.id, 4100);
  const created = [charge.id, ...copies];
  await shop.post("/charges", { ...visa, currency: "eur" });
  const { status, text, headers } = await shop.get("/charges.csv?currency=usd");
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  const [head, ...lines] = text.trimEnd().split("\r\n");
  assert.match(head as string, /^"id","created","status","currency","amount",/);
  assert.deepEqual(
    lines.map((line) => line.split(",")[0]),
    created
      .toSorted()
      .toReversed()
      .map((id) => `"${id}"`),
  );
  assert.match(lines[0] as string, /,"succeeded","usd","19\.99","19\.99","0\.00",/);
});

test("200: every charge is one line if the lines are so long that a page has only a few", async () => {
  const { body: charge } = await shop.post("/charges", { ...visa, currency: "chf" });
  const copies = await copyCharge(shop.app.database, charge.id, 300, { metadata: longMetadata });
  const created = [charge.id, ...copies];
  const { text } = await shop.get("/charges.csv?currency=chf");
  const [, ...lines] = text.trimEnd().split("\r\n");
  assert.deepEqual(
    lines.map((line) => line.split(",")[0]),
    created
      .toSorted()
      .toReversed()
      .map((id) => `"${id}"`),
  );
});

test("a download does not continue after its key is revoked or its person is removed from the team", async () => {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const analyst = await createPerson(shop, { account, role: "analyst" });
  const { body: charge } = await shop.post("/charges", visa, { as: key });
  // More data than the buffers of a connection can hold.
  await copyCharge(shop.app.database, charge.id, 600, { metadata: longMetadata });
  const session = { cookie: analyst.cookie(), "florin-account": account, "florin-mode": "test" };
  const downloads = [{ authorization: `Bearer ${key}` }, session].map((headers) =>
    get(`${shop.url}/api/v1/charges.csv`, { headers }),
  );
  const responses = await Promise.all(
    downloads.map(async (download) => {
      const [response] = (await once(download, "response")) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      await once(response, "readable");
      return response;
    }),
  );
  const [one] = (await owner.api("GET", "/api_keys")).body.data;
  assert.equal((await owner.api("POST", `/api_keys/${one.id}/revoke`, {})).status, 200);
  const { data: members } = (await owner.api("GET", "/members")).body;
  const member = members.find(({ role }: { role: string }) => role === "analyst");
  assert.equal((await owner.api("DELETE", `/members/${member.id}`)).status, 200);
  await sleep(1_100);
  for (const response of responses) {
    const closed = new Promise((resolve) => response.once("close", resolve));
    response.on("error", () => undefined).resume();
    await closed;
    assert.equal(response.complete, false);
  }
  assert.deepEqual(
    shop.log.filter(({ level }) => Number(level) >= 50),
    [],
  );
});

test("200: text from merchants cannot become a spreadsheet formula", async () => {
  const formula = '=HYPERLINK("http://evil.example","Click")';
  const ids = [];
  for (const description of [formula, `\u3000 ${formula}`, `＝1+"1"`, ` "é" `]) {
    const { body } = await shop.post("/charges", { ...visa, currency: "gbp", description });
    ids.push(body.id);
  }
  const { text } = await shop.get("/charges.csv?currency=gbp");
  for (const id of ids) assert.ok(text.includes(`"${id}",`));
  assert.ok(text.includes(`"'=HYPERLINK(""http://evil.example"",""Click"")"`), text);
  assert.ok(text.includes(`"'\u3000 =HYPERLINK(""http://evil.example"",""Click"")"`), text);
  assert.ok(text.includes(`"'＝1+""1"""`), text);
  assert.ok(text.includes(`" ""é"" "`), text);
});

test("200: without charges the file contains only the header", async () => {
  const { text } = await shop.get("/charges.csv", { as: shop.otherMerchant.key });
  assert.match(text, /^"id",[^\r]+\r\n$/);
});

test("200: refunds, disputes and customers are downloaded with the filters of their lists", async () => {
  const { body: charge } = await shop.post("/charges", visa);
  const refund = { charge_id: charge.id, amount: 500, reason: "duplicate" };
  const { body: refunded } = await shop.post("/refunds", refund);
  const { body: disputed } = await shop.post("/charges", visa);
  const { body: dispute } = await shop.post("/test_helpers/disputes", { charge_id: disputed.id });
  const { body: customer } = await shop.post("/customers", {
    name: "=1+1",
    email: "x@shop.example",
  });
  for (const [path, id, cells] of [
    ["/refunds.csv", refunded.id, `,"usd","5.00","duplicate","","${charge.id}",`],
    [`/refunds.csv?charge_id=${charge.id}`, refunded.id, `"succeeded","usd"`],
    ["/disputes.csv?status=needs_response", dispute.id, `"usd","19.99",`],
    ["/customers.csv?search=shop", customer.id, `"x@shop.example","'=1+1",`],
  ] as const) {
    const { status, text } = await shop.get(path);
    assert.equal(status, 200, text);
    const lines = text.trimEnd().split("\r\n");
    assert.equal(lines.length, 2, text);
    assert.ok(lines[1]?.startsWith(`"${id}","`) && lines[1].includes(cells), text);
    const [name = ""] = path.split("?");
    const { text: other } = await shop.get(name, { as: shop.otherMerchant.key });
    assert.equal(other, `${lines[0]}\r\n`);
  }
  assert.deepEqual((await shop.get("/disputes.csv?status=won")).text.split("\r\n").length, 2);
});

test("400: a download accepts the list's filters and no pagination", async () => {
  assert.deepEqual(errorOf(await shop.get("/charges.csv?limit=5")), [
    400,
    "invalid_request_error",
    "parameter_unknown",
    "limit",
  ]);
});
