import assert from "node:assert/strict";
import { after, test } from "node:test";
import { uuidOf } from "../../src/core/ids.ts";
import { connectAdyen, pay, startAdyen } from "../adyen.ts";
import { createCheckout } from "../checkout.ts";
import { freePort } from "../free-port.ts";
import { startShop } from "../shop.ts";
import { until } from "../until.ts";
import { uploadEvidence } from "../upload-evidence.ts";
import { startLiveServer } from "./live-server.ts";

/**
 * Kills the service while Adyen processes a response to a dispute. The response must have its effect exactly once,
 * although only the killed process had the outcome in memory.
 */
const adyen = await startAdyen();
after(() => adyen.close());
/**
 * Serves the merchant's requests. It has no workers, so only the servers that the test kills send responses to
 * disputes.
 */
const shop = await startShop({
  acquirers: "sandbox",
  acquirerOrigins: { adyen: adyen.url },
  workers: false,
});
after(() => shop.close());
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const { key } = await connectAdyen(shop, adyen, { origin });
const start = () => startLiveServer(shop, { adyen: adyen.url }, port);

test("a process that is killed while Adyen processes evidence submits it once", async (t) => {
  let server = await start();
  t.after(() => server.kill());
  const browser = await createCheckout(shop, {}, key);
  await pay(browser);
  const { data: charges } = (await shop.get("/charges", { as: key })).body;
  const { pspReference } = (await adyen.paymentOf(charges[0].id)) as unknown as {
    pspReference: string;
  };
  const stage = "request_for_information";
  const { dispute } = await adyen.control<{ dispute: { pspReference: string } }>("POST disputes", {
    payment: pspReference,
    stage,
  });
  const { data: disputes } = await until(
    async () => (await shop.get("/disputes", { as: key })).body,
    ({ data }) => data.length === 1,
  );
  const { id } = disputes[0];

  await adyen.fault("defend_dispute", "slow", { delayMs: 3_000 });
  const file = await uploadEvidence(shop, id, { as: key });
  assert.equal(file.status, 201, file.text);
  const evidence = { uncategorized_text: "It was delivered.", files: [file.body.id] };
  const submitted = await shop.post(`/disputes/${id}/evidence`, evidence, { as: key });
  assert.equal(submitted.body.status, "under_review", submitted.text);
  const defenses = async () => {
    const { requests } = await adyen.control<{ requests: Record<string, string>[] }>(
      "GET requests",
    );
    return requests.filter((one) => one.endpoint === "defend_dispute").length;
  };
  await until(defenses, (count) => count === 1);
  await server.kill();
  server = await start();

  const response = await until(
    async () => {
      await adyen.repeatNotifications("pending");
      const [row] = await shop.app.database.read<{ due: Date | null; attempts: number }>`
        select response_due_at as due, response_attempts as attempts
          from disputes where id = ${uuidOf(id)}`;
      return row;
    },
    (row) => row?.due === null,
  );
  assert.equal(response?.attempts, 1);
  assert.equal(await defenses(), 1);
  const {
    status,
    response_problem,
    evidence: kept,
  } = (await shop.get(`/disputes/${id}`, { as: key })).body;
  assert.deepEqual([status, response_problem, kept], ["under_review", null, evidence]);
  const query = `GET disputes?pspReference=${dispute.pspReference}`;
  const atAdyen = await adyen.control<{ disputes: { status: string }[] }>(query);
  assert.deepEqual(
    atAdyen.disputes.map(({ status }) => status),
    ["Responded"],
  );
});
