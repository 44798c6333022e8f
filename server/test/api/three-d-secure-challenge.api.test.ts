import assert from "node:assert/strict";
import { after, test } from "node:test";
import { cryptogramOf } from "@florin/simulator/three-d-secure/cryptogram.ts";
import { createCardholder, rightCode, someScreen, submitToIssuer } from "../cardholder.ts";
import { authenticationOf, startChallenge } from "../challenge.ts";
import { startShop, until } from "../shop.ts";
import { minute, second } from "../test-clock.ts";

const shop = await startShop();
after(() => shop.close());

test("a wrong code on the issuer's page can be corrected, and three wrong codes fail the authentication", async () => {
  const good = await startChallenge(shop, "4000003170000000");
  await good.cardholder.runUntilAres();
  let page = await submitToIssuer(shop, await good.cardholder.openIssuerPage(), { code: "000000" });
  assert.match(page.html, /The code is incorrect/);
  page = await submitToIssuer(shop, page, { code: "12 34 56" });
  assert.equal((await good.waitUntilFinal()).status, "succeeded");

  const bad = await startChallenge(shop, "4000003170000000");
  await bad.cardholder.runUntilAres();
  page = await bad.cardholder.openIssuerPage();
  for (const code of ["1", "2", "3"]) page = await submitToIssuer(shop, page, { code });
  assert.equal((await bad.waitUntilFinal()).failure_code, "authentication_failed");
});

test("canceling on the issuer's page and on the hosted page have the same result, which is not a failure", async () => {
  const onIssuersPage = await startChallenge(shop, "4000002760003184");
  await onIssuersPage.cardholder.runUntilAres();
  await submitToIssuer(shop, await onIssuersPage.cardholder.openIssuerPage(), "cancel");
  const onOwnPage = await startChallenge(shop, "4000002760003184");
  await onOwnPage.cardholder.runUntilAres();
  await onOwnPage.cardholder.openIssuerPage();
  const { body } = await onOwnPage.cardholder.cancel();
  assert.deepEqual([body.step, body.passed], ["done", false]);
  const before = await startChallenge(shop, "4000002760003184");
  assert.equal((await before.cardholder.cancel()).body.step, "done");
  for (const { waitUntilFinal, browser } of [onIssuersPage, onOwnPage, before]) {
    assert.equal((await waitUntilFinal()).failure_code, "authentication_canceled");
    // Nothing was charged, and the customer can try again.
    assert.equal((await browser.readSession()).body.status, "open");
  }
});

test("a reload during a challenge continues the same transaction", async () => {
  const { cardholder, waitUntilFinal } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  await cardholder.openIssuerPage();
  assert.equal((await cardholder.begin()).body.step, "challenge");
  const first = (await cardholder.challenge()).body;
  assert.deepEqual((await cardholder.challenge()).body, first);
  await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
  assert.equal((await waitUntilFinal()).status, "succeeded");
});

test("two tabs send one authentication request", async () => {
  const { cardholder, chargeId } = await startChallenge(shop, "4000003170000000");
  await cardholder.begin();
  const responses = await Promise.all([1, 2, 3, 4].map(() => cardholder.authenticate()));
  for (const { body } of responses) assert.match(body.step, /^(challenge|wait)$/);
  const [{ times } = { times: 0 }] = await shop.app.database.read<{ times: number }>`
    select count(*) as times from simulator.directory_transactions
     where three_ds_server_transaction_id in (select charge_id from authentications
             where acs_transaction_id is not null and state = 'challenged')
     group by three_ds_server_transaction_id order by times desc limit 1`;
  assert.equal(times, 1, chargeId);
});

test("an abandoned challenge expires automatically", async () => {
  const neverOpened = await startChallenge(shop, "4000002760003184");
  const leftEarly = await startChallenge(shop, "4000002760003184");
  await leftEarly.cardholder.begin();
  const leftAtIssuer = await startChallenge(shop, "4000002760003184");
  await leftAtIssuer.cardholder.runUntilAres();
  await leftAtIssuer.cardholder.openIssuerPage();
  shop.clock.advance(16 * minute);
  for (const { waitUntilFinal, browser } of [neverOpened, leftEarly, leftAtIssuer]) {
    assert.equal((await waitUntilFinal()).failure_code, "authentication_timed_out");
    assert.equal((await browser.readSession()).body.status, "open");
  }
});

test("an authentication request that a crash interrupted is not repeated and ends as unavailable", async () => {
  const { cardholder, chargeId, waitUntilFinal } = await startChallenge(shop, "4000003170000000");
  await cardholder.begin();
  // Sets the state that a server leaves if it is killed between the AReq and the ARes.
  await shop.app.database.transaction(
    (tx) => tx`
      update authentications set state = 'requested', method_url = null, method_completed = false,
             revision = revision + 1, due_at = now() + interval '15 seconds'
       where state = 'looked_up'`,
  );
  assert.equal((await cardholder.authenticate()).body.step, "wait");
  shop.clock.advance(16 * second);
  const charge = await waitUntilFinal();
  // This card's issuer requires authentication and declines without it.
  assert.deepEqual(
    [authenticationOf(charge).result, charge.failure_code],
    ["unavailable", "authentication_required"],
    chargeId,
  );
});

test("an authentication result that a crash interrupted is recovered: a job completes the charge", async () => {
  const { cardholder, waitUntilFinal } = await startChallenge(shop, "4000003170000000");
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  const acsTransID = page.form?.fields.acsTransID ?? "";
  const [ids] = await shop.app.database.read<{ ds: string }>`
    select ds_transaction_id as ds from simulator.challenges where acs_transaction_id = ${acsTransID}`;
  // Sets the state that a server leaves if it crashes after it recorded the result and before it updated the charge.
  await shop.app.database.transaction(
    (tx) => tx`
      update authentications
         set state = 'ended', result = 'authenticated', flow = 'challenge', trans_status = 'Y', eci = '05',
             authentication_value = ${cryptogramOf(ids?.ds ?? "")}, acs_url = null, acs_transaction_id = null,
             revision = revision + 1, due_at = now()
       where acs_transaction_id = ${acsTransID}`,
  );
  assert.equal((await waitUntilFinal()).status, "succeeded");
});

test("a charge that requires 3-D Secure fails if the cardholder could not be authenticated", async () => {
  const required = await startChallenge(shop, "4000003150000004", { three_d_secure: "always" });
  await required.cardholder.runUntilAres();
  assert.equal((await required.waitUntilFinal()).failure_code, "authentication_failed");
  const wished = await startChallenge(shop, "4000003150000004");
  await wished.cardholder.runUntilAres();
  assert.equal((await wished.waitUntilFinal()).status, "succeeded");
});

test("if a merchant requests 3-D Secure for a card whose issuer does not support it, the result is attempted", async () => {
  const { cardholder, waitUntilFinal } = await startChallenge(shop, "5555555555554444", {
    three_d_secure: "always",
  });
  await cardholder.runUntilAres();
  const { result, eci, liability_shift } = authenticationOf(await waitUntilFinal());
  assert.deepEqual([result, eci, liability_shift], ["attempted", "01", true]);
});

test("a server-side charge goes through a hosted page and back to its return_url", async () => {
  const { body } = await shop.post("/charges", {
    amount: 1999,
    currency: "usd",
    payment_method_id: "pm_card_authenticationRequired",
    return_url: "https://shop.example/orders/7",
  });
  const cardholder = createCardholder(shop, body.next_action.url);
  const document = await cardholder.document();
  assert.match(document.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  await cardholder.runUntilAres();
  await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
  const done = await until(cardholder.step, (reply) => reply.body.passed !== null);
  assert.deepEqual(
    [done.body.passed, done.body.return_url],
    [true, "https://shop.example/orders/7"],
  );
  const decision = (
    await shop.get(`/decisions/${(await shop.get(`/charges/${body.id}`)).body.decision_id}`)
  ).body;
  const { result, eci, version, liability_shift, ds_transaction_id } = decision.three_d_secure;
  assert.deepEqual([result, eci, version, liability_shift], ["authenticated", "05", "2.2.0", true]);
  assert.match(ds_transaction_id, /^[0-9a-f-]{36}$/);
});

test("the challenge document uses the locale of the form, the session or the browser", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184", { locale: "fr" });
  const langOf = async (query: string, headers = {}) =>
    /<html lang="([^"]+)" dir="([^"]+)"/
      .exec((await shop.send("GET", `${cardholder.path}${query}`, { headers })).text)
      ?.slice(1);
  assert.deepEqual(await langOf("?locale=de-AT"), ["de-AT", "ltr"]);
  assert.deepEqual(await langOf("?locale=he"), ["he", "rtl"]);
  assert.deepEqual(await langOf(""), ["fr", "ltr"]);
  assert.deepEqual(await langOf("?locale=%22%3E%3Cscript%3E"), ["fr", "ltr"]);
  const other = await startChallenge(shop, "4000002760003184");
  const { text } = await shop.send("GET", other.cardholder.path, {
    headers: { "accept-language": "xx, ja;q=0.5, de;q=0.4" },
  });
  assert.match(text, /<html lang="ja"/);
});

test("the CSP of the challenge document allows only the simulated issuer to be framed and posted to", async () => {
  const { cardholder } = await startChallenge(shop, "4000002760003184");
  const policy = (await cardholder.document()).headers.get("content-security-policy") ?? "";
  const bank = shop.url.replace("127.0.0.1", "localhost");
  assert.match(policy, new RegExp(`frame-src 'self' ${bank};`));
  assert.match(policy, new RegExp(`form-action ${bank};`));
});

test("the steps of a challenge require its own secret, and its document's URL is not sufficient", async () => {
  const { cardholder, browser } = await startChallenge(shop, "4000002760003184");
  const { path, secret } = cardholder;
  const wrong = `${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`;
  for (const [where, authorization] of [
    [path, `Bearer ${wrong}`],
    [path, `Bearer ${browser.secret}`],
    [path, ""],
    [path.replace("/test/", "/live/"), `Bearer ${secret}`],
    [path.replace(/ch_[0-9a-z]+/, "ch_01jb0000000000000000000000"), `Bearer ${secret}`],
  ] as const) {
    const headers = { authorization };
    for (const verb of ["begin", "authenticate", "challenge", "cancel"]) {
      const { status } = await shop.send("POST", `${where}/${verb}`, { headers, body: {} });
      assert.equal(status, 404, `${where} ${authorization} ${verb}`);
    }
    assert.equal((await shop.send("GET", `${where}/step`, { headers })).status, 404);
  }
  assert.equal((await cardholder.step()).status, 200);
});

test("no challenge request has a secret in its URL, and no log line contains one", async () => {
  const { cardholder, chargeId, browser } = await startChallenge(shop, "4000002760003184");
  const waiting = await shop.get(`/charges/${chargeId}`);
  await cardholder.document();
  await cardholder.runUntilAres();
  await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
  await until(cardholder.step, (reply) => reply.body.step === "done");
  const { url } = waiting.body.next_action;
  assert.doesNotMatch(url.split("#")[0], /secret/);
  assert.equal(new URL(url).hash, `#${cardholder.secret}`);
  for (const secret of [cardholder.secret, browser.secret]) {
    assert.ok(!JSON.stringify(shop.log).includes(secret));
  }
});

test("a challenge secret gives no access to its session", async () => {
  const { cardholder, browser } = await startChallenge(shop, "4000002760003184", {
    success_url: "https://shop.example/thanks",
    cancel_url: "https://shop.example/cart",
  });
  await cardholder.runUntilAres();
  await cardholder.cancel();
  const { body, text } = await until(cardholder.step, (reply) => reply.body.step === "done");
  assert.equal((await browser.readSession()).body.status, "open", "the session can still be paid");
  assert.ok(!text.includes(browser.secret), text);
  assert.deepEqual(
    [body.return_url, body.session_url],
    ["https://shop.example/cart", `${shop.url}/embed/${browser.session}`],
  );
});

test("a failed challenge leaves its session open, a passed one completes it, and both emit events", async () => {
  const { browser, cardholder, chargeId, waitUntilFinal } = await startChallenge(
    shop,
    "4000002760003184",
  );
  await cardholder.runUntilAres();
  let page = await cardholder.openIssuerPage();
  for (const code of ["1", "2", "3"]) page = await submitToIssuer(shop, page, { code });
  const failed = await waitUntilFinal();
  assert.deepEqual(
    [failed.status, failed.failure_code, failed.decline_code, failed.outcome.network_status],
    ["failed", "authentication_failed", "authentication_failed", "not_sent_to_network"],
  );
  const { body } = await browser.readSession();
  assert.deepEqual([body.status, body.last_payment_error.code], ["open", "authentication_failed"]);
  const types = (await shop.events(chargeId)).map(({ type }) => type);
  assert.deepEqual(types, ["payment.requires_action", "payment_failed"]);

  const again = (await browser.pay("4000002760003184")).body;
  const second = createCardholder(shop, again.next_action.url);
  await second.runUntilAres();
  const shown = (await browser.readSession()).body.next_action;
  const { charge_id } = (await shop.get(`/checkout_sessions/${browser.session}`)).body;
  const charge = (await shop.get(`/charges/${charge_id}`)).body;
  assert.deepEqual(
    [shown.step, shown.expires_at],
    ["challenge", charge.next_action.expires_at],
    "the card form receives the deadline of the charge",
  );
  await submitToIssuer(shop, await second.openIssuerPage(), rightCode);
  await until(browser.readSession, (reply) => reply.body.status === "complete");
});

test("of many concurrent challenge results one takes effect, and money moves at most once", async () => {
  const { cardholder, chargeId, waitUntilFinal } = await startChallenge(shop, "4000002760003184");
  await cardholder.runUntilAres();
  const page = await cardholder.openIssuerPage();
  await Promise.all([
    submitToIssuer(shop, page, rightCode),
    submitToIssuer(shop, page, "cancel"),
    submitToIssuer(shop, page, rightCode),
    cardholder.cancel(),
    cardholder.cancel(),
  ]);
  await waitUntilFinal();
  assert.equal((await shop.events(chargeId)).length, 2);
});

test("an authenticated charge that is declined afterwards returns its own decline code", async () => {
  const { cardholder, waitUntilFinal } = await startChallenge(shop, "4000008260003178");
  await cardholder.runUntilAres();
  await submitToIssuer(shop, await cardholder.openIssuerPage(), rightCode);
  const { failure_code, decline_code, payment_method_details } = await waitUntilFinal();
  assert.deepEqual([failure_code, decline_code], ["card_declined", "insufficient_funds"]);
  assert.equal(payment_method_details.card.three_d_secure.result, "authenticated");
});

test("a card whose enrollment lookup fails is charged without 3-D Secure and declined by its issuer", async () => {
  const { cardholder, waitUntilFinal } = await startChallenge(shop, "4000008400001280");
  assert.equal((await cardholder.begin()).body.step, "done");
  assert.equal((await waitUntilFinal()).failure_code, "processing_error");
});

test("the response contains the issuer's text for the cardholder", async () => {
  const { browser, cardholder, waitUntilFinal } = await startChallenge(shop, "4000003130000009");
  await cardholder.runUntilAres();
  await waitUntilFinal();
  const words = "Please call the number on the back of your card before you use it online again.";
  assert.equal((await cardholder.step()).body.cardholder_info, words);
  assert.equal((await browser.readSession()).body.bank_message, words);
});

test("browser properties come from the request where possible, and otherwise from the script", async () => {
  const { cardholder } = await startChallenge(shop, "4000003070000001");
  await cardholder.begin();
  for (const wrongScreen of [{ color_depth: "24" }, { ...someScreen, user_agent: "x" }, {}]) {
    assert.equal((await cardholder.authenticate(wrongScreen)).status, 400);
  }
  assert.equal((await cardholder.authenticate()).body.step, "challenge");
});
