import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { createPerson } from "../person.ts";
import { startShop, until } from "../shop.ts";
import { minute, second } from "../test-clock.ts";

/*
 * An operator suspends or closes an account while its webhooks are in flight or wait for their next attempt. The
 * merchant still gets every event, including the events of later refunds.
 */
const shop = await startShop();
after(() => shop.close());

type Received = { readonly type: string; readonly object: { readonly status: string } };

/** Starts a merchant's server, whose responses the test determines. */
async function startReceiver() {
  const received: Received[] = [];
  const held: ServerResponse[] = [];
  const state = { respond: "ok" as "ok" | "fail" | "hold" };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (state.respond === "hold") {
      held.push(response);
      return;
    }
    if (state.respond === "ok") {
      const event = JSON.parse(text);
      received.push({ type: event.type, object: event.data.object });
    }
    response.writeHead(state.respond === "ok" ? 200 : 500).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, received, held, state };
}

for (const [action, status] of [
  ["suspend", "suspended"],
  ["close", "closed"],
] as const) {
  test(`after an account is ${status}, deliveries in flight, retries and later events are sent`, async () => {
    const { account, key: as } = await shop.createMerchant({ status: "approved" });
    const [failing, holding] = [await startReceiver(), await startReceiver()];
    failing.state.respond = "fail";
    holding.state.respond = "hold";
    const endpoints: string[] = [];
    for (const { url } of [failing, holding]) {
      const created = await shop.post("/webhook_endpoints", { url }, { as });
      assert.equal(created.status, 201, created.text);
      endpoints.push(created.body.id);
    }
    const charge = await shop.post(
      "/charges",
      { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" },
      { as },
    );
    const deliveriesOf = async (index: number) =>
      (await shop.get(`/webhook_endpoints/${endpoints[index]}/deliveries`, { as })).body.data;
    await until(
      () => deliveriesOf(0),
      ([delivery]) => delivery?.attempts === 1 && delivery.status === "pending",
    );
    await until(
      async () => holding.held.length,
      (held) => held === 1,
    );

    const operator = await createPerson(shop, { operator: true, secondFactor: true });
    const changed = await operator.send("POST", `/operator/v1/accounts/${account}/${action}`, {
      reason: "The merchant leaves.",
    });
    assert.equal(changed.status, 200, changed.text);
    failing.state.respond = "ok";
    holding.state.respond = "ok";
    holding.held[0]?.writeHead(200).end();
    const refunded = await shop.post(
      "/refunds",
      { charge_id: charge.body.id, amount: 500 },
      { as },
    );
    assert.equal(refunded.status, 201, refunded.text);
    shop.clock.advance(10 * second);
    for (const receiver of [failing, holding]) {
      await until(
        async () => receiver.received.map(({ type }) => type),
        (types) => ["account.updated", "refund.succeeded"].every((type) => types.includes(type)),
      );
      const updated = receiver.received.find(({ type }) => type === "account.updated");
      assert.equal(updated?.object.status, status);
    }
    await until(
      async () => failing.received.map(({ type }) => type),
      (types) => types.includes("payment.succeeded"),
    );
    shop.clock.advance(10 * minute);
    for (const index of [0, 1]) {
      const deliveries = await until(
        () => deliveriesOf(index),
        (all) => all.every((one: { status: string }) => one.status === "succeeded"),
      );
      assert.ok(deliveries.length >= 3, JSON.stringify(deliveries));
      const endpoint = await shop.get(`/webhook_endpoints/${endpoints[index]}`, { as });
      assert.equal(endpoint.body.status, "enabled");
    }
    const types = holding.received.map(({ type }) => type);
    assert.ok(!types.includes("payment.succeeded"), "a delivered event is not sent again");
    const ping = await shop.post(`/webhook_endpoints/${endpoints[0]}/ping`, {}, { as });
    assert.equal(ping.status, 201, ping.text);
    const ended = await shop.post(
      `/webhook_endpoints/${endpoints[1]}`,
      { status: "disabled" },
      { as },
    );
    assert.equal(ended.body.status, "disabled", ended.text);
  });
}
