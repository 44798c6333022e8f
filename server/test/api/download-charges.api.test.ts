import assert from "node:assert/strict";
import { after, test } from "node:test";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };

test("200: every charge that matches the filter is one line, newest first, across several pages", async () => {
  const created: string[] = [];
  for (let n = 0; n < 520; n += 20) {
    const batch = Array.from({ length: 20 }, () => shop.post("/charges", visa));
    created.push(...(await Promise.all(batch)).map(({ body }) => body.id));
  }
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

test("200: text from merchants cannot become a spreadsheet formula", async () => {
  const description = '=HYPERLINK("http://evil.example","Click")';
  const { body } = await shop.post("/charges", { ...visa, currency: "gbp", description });
  const { text } = await shop.get("/charges.csv?currency=gbp");
  assert.ok(text.includes(`"${body.id}",`));
  assert.ok(text.includes(`"'=HYPERLINK(""http://evil.example"",""Click"")"`), text);
});

test("200: without charges the file contains only the header", async () => {
  const { text } = await shop.get("/charges.csv", { as: shop.otherMerchant.key });
  assert.match(text, /^"id",[^\r]+\r\n$/);
});

test("400: a download accepts the list's filters and no pagination", async () => {
  assert.deepEqual(errorOf(await shop.get("/charges.csv?limit=5")), [
    400,
    "invalid_request_error",
    "parameter_unknown",
    "limit",
  ]);
});
