import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createBrowser, createCheckout } from "../checkout.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const ids = (list: { data: { id: string }[] }) => list.data.map(({ id }) => id);

test("a charge keeps its client_reference_id in every read, list, download and event", async () => {
  const created = await shop.post("/charges", { ...visa, client_reference_id: "order 7/A" });
  const { id } = created.body;
  assert.deepEqual([created.status, created.body.client_reference_id], [201, "order 7/A"]);
  assert.equal((await shop.get(`/charges/${id}`)).body.client_reference_id, "order 7/A");
  const listed = (await shop.get("/charges?client_reference_id=order%207/A")).body;
  assert.deepEqual(ids(listed), [id]);
  assert.equal(listed.data[0].client_reference_id, "order 7/A");
  const { text } = await shop.get("/charges.csv?client_reference_id=order%207/A");
  const [head = "", line = ""] = text.split("\r\n");
  const place = head.replaceAll('"', "").split(",").indexOf("client_reference_id");
  assert.equal(line.replaceAll('"', "").split(",")[place], "order 7/A");
  const [event] = await shop.events(id);
  assert.deepEqual(
    [event.type, event.data.object.client_reference_id],
    ["payment.succeeded", "order 7/A"],
  );
});

test("a charge of a checkout session has the session's client_reference_id", async () => {
  const browser = await createCheckout(shop, { client_reference_id: "order-8" });
  await browser.pay("4242424242424242");
  const [charge] = (await shop.get("/charges?client_reference_id=order-8")).body.data;
  assert.deepEqual(
    [charge.checkout_session_id, charge.client_reference_id],
    [browser.session, "order-8"],
  );
  const [event] = await shop.events(charge.id);
  assert.equal(event.data.object.client_reference_id, "order-8");
});

test("blocked and authorized charges keep their client_reference_id, and a charge without one shows null", async () => {
  const held = await shop.post("/charges", {
    ...visa,
    capture_method: "manual",
    client_reference_id: "order-9",
  });
  const captured = await shop.post(`/charges/${held.body.id}/capture`, {});
  assert.equal(captured.body.client_reference_id, "order-9");
  for (const event of await shop.events(held.body.id)) {
    assert.equal(event.data.object.client_reference_id, "order-9", event.type);
  }
  assert.equal((await shop.post("/charges", visa)).body.client_reference_id, null);
});

test("400: rejects an empty client_reference_id and one of more than 200 characters", async () => {
  for (const [reference, code] of [
    ["x".repeat(201), "parameter_invalid"],
    ["", "parameter_invalid_string_empty"],
  ]) {
    const rejected = await shop.post("/charges", { ...visa, client_reference_id: reference });
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      code,
      "client_reference_id",
    ]);
  }
});

const urlWithPlaceholders = (path: string) =>
  `https://shop.example/${path}/{CHECKOUT_SESSION_ID}?charge={CHARGE_ID}&ref={CLIENT_REFERENCE_ID}#%7BCHECKOUT_SESSION_ID%7D`;

test("placeholders in the path, query and fragment of return URLs are replaced and percent-encoded", async () => {
  const { body } = await shop.post("/checkout_sessions", {
    amount: 1999,
    currency: "usd",
    client_reference_id: "7/A&b=ü",
    success_url: urlWithPlaceholders("thanks"),
    cancel_url: urlWithPlaceholders("cart"),
    return_url: "https://shop.example/{lower}/{}",
  });
  const { id } = body.session;
  assert.equal(
    body.session.success_url,
    urlWithPlaceholders("thanks"),
    "the merchant reads the URL template unchanged",
  );
  const browser = createBrowser(shop, id, new URL(body.embed_url).hash.slice(1));
  const open = (await browser.readSession()).body;
  const reference = encodeURIComponent("7/A&b=ü");
  assert.equal(
    open.cancel_url,
    `https://shop.example/cart/${id}?charge=&ref=${reference}#${id}`,
    "CHARGE_ID is empty before the first charge",
  );
  assert.equal(open.return_url, "https://shop.example/{lower}/{}");
  const paid = (await browser.pay("4242424242424242")).body;
  const { charge_id } = (await shop.get(`/checkout_sessions/${id}`)).body;
  assert.equal(
    paid.return_url,
    `https://shop.example/thanks/${id}?charge=${charge_id}&ref=${reference}#${id}`,
  );
});

test("400: rejects a misspelled placeholder and a placeholder in the host", async () => {
  for (const param of ["success_url", "cancel_url", "return_url"]) {
    for (const address of [
      "https://shop.example/?id={CHECKOUT_SESION_ID}",
      "https://shop.example/?id=%7BSESSION%7D",
      "https://{CHARGE_ID}.shop.example/",
      "https://{CHARGE_ID}",
      "https://shop.example:{CHARGE_ID}/",
      "https://user:{CHARGE_ID}@shop.example/",
      "https://shop.example%7BCLIENT_REFERENCE_ID%7D/",
      "https://shop.example%7bCLIENT_REFERENCE_ID%7d:8443/",
      "https://\\shop.example%7BCHARGE_ID%7D/",
      "https://user%7BCHARGE_ID%7D@shop.example/",
    ]) {
      const session = { amount: 1999, currency: "usd", [param]: address };
      const rejected = await shop.post("/checkout_sessions", session);
      assert.deepEqual(errorOf(rejected), [400, "invalid_request_error", "url_invalid", param]);
    }
  }
  const charge = { ...visa, return_url: "https://shop.example/{NOTHING}" };
  assert.equal((await shop.post("/charges", charge)).body.error.param, "return_url");
});
