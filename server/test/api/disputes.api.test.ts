import assert from "node:assert/strict";
import { after, test } from "node:test";
import { PDFDocument } from "@cantoo/pdf-lib";
import { newId, uuidOf } from "../../src/core/ids.ts";
import type { Reply } from "../client.ts";
import { closeChecked } from "../close-checked.ts";
import { evidencePdf, sha256 } from "../evidence-file.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { countLockWaits } from "../queue-behind.ts";
import { errorOf, startShop, until } from "../shop.ts";
import { slowed } from "../slowness.ts";
import { day, second } from "../test-clock.ts";
import { type EvidenceUpload, uploadEvidence } from "../upload-evidence.ts";

const shop = await startShop();
after(() => closeChecked(shop));

const visa = { amount: 1999, currency: "usd", payment_method_id: "pm_card_visa" };
const pay = async (change = {}) => (await shop.post("/charges", { ...visa, ...change })).body.id;
const read = async (path: string) => (await shop.get(path)).body;
const open = async (charge_id: string, params: object = {}) =>
  (await shop.post("/test_helpers/disputes", { charge_id, ...params })).body;
const waitForDispute = (id: string, ...states: string[]) =>
  until(
    () => read(`/disputes/${id}`),
    ({ status }) => states.includes(status),
  );
const eventsOf = async (id: string) => (await shop.events(id)).map(({ type }) => type);

/** Returns the ledger transfers of a dispute: kind and amount of each. */
const transfersOf = async (id: string) =>
  (
    await shop.app.database.read<{ kind: string; amount: number }>`
      select kind, amount from ledger_transfers where source_id = ${uuidOf(id as "dp_")} order by entry_id, line`
  ).map(({ kind, amount }) => [kind, amount]);

for (const [method, reason] of [
  ["pm_card_createDispute", "fraudulent"],
  ["pm_card_createDisputeProductNotReceived", "product_not_received"],
]) {
  test(`${method}: the payment succeeds and is disputed as ${reason} shortly afterwards`, async () => {
    const charge = await pay({ payment_method_id: method });
    const [dispute] = await until(
      async () => (await read(`/disputes?charge_id=${charge}`)).data,
      (found) => found.length > 0,
    );
    assert.deepEqual(
      [dispute.status, dispute.reason, dispute.amount, dispute.is_inquiry, dispute.funds_withdrawn],
      ["needs_response", reason, 1999, false, true],
    );
    assert.deepEqual(await transfersOf(dispute.id), [
      ["dispute", 1999],
      ["dispute_fee", 1500],
    ]);
    assert.deepEqual(await eventsOf(dispute.id), ["dispute.opened"]);
    const after = await read(`/charges/${charge}`);
    assert.deepEqual([after.disputed, after.amount_disputed], [true, 1999]);
    assert.deepEqual(errorOf(await shop.post("/refunds", { charge_id: charge })).slice(2), [
      "refund_disputed_payment",
      "charge_id",
    ]);
  });
}

test("400: of several concurrent disputes of one payment only one succeeds", async () => {
  const charge_id = await pay();
  const started = Date.now();
  const opened = await Promise.all(
    Array.from({ length: 4 }, () => shop.post("/test_helpers/disputes", { charge_id })),
  );
  const rejected = opened.filter(({ status }) => status !== 201);
  assert.deepEqual(
    rejected.map((response) => errorOf(response)),
    Array(3).fill([400, "invalid_request_error", "status_transition_invalid", "charge_id"]),
  );
  assert.ok(
    Date.now() - started < slowed(4_000),
    "the rejected requests waited for a notification that is never sent",
  );
});

test("an authorized payment cannot be disputed before its capture", async () => {
  const charge = await pay({
    payment_method_id: "pm_card_createDispute",
    capture_method: "manual",
  });
  shop.clock.advance(10 * second);
  await shop.post(`/charges/${charge}/capture`, { amount: 800 });
  shop.clock.advance(10 * second);
  const [dispute] = await until(
    async () => (await read(`/disputes?charge_id=${charge}`)).data,
    (found) => found.length > 0,
  );
  assert.equal(dispute.amount, 800);
});

test("200: winning evidence wins the dispute and returns the amount without the fee", async () => {
  const charge = await pay();
  const { id } = await open(charge);
  const evidence = { uncategorized_text: "winning_evidence", customer_name: "Ada" };
  const { status, body } = await shop.post(`/disputes/${id}/evidence`, evidence);
  assert.deepEqual([status, body.status, body.evidence], [200, "under_review", evidence]);
  const won = await waitForDispute(id, "won");
  assert.equal(won.funds_withdrawn, false);
  assert.deepEqual(await transfersOf(id), [
    ["dispute", 1999],
    ["dispute_fee", 1500],
    ["dispute_reversal", 1999],
  ]);
  assert.deepEqual(await eventsOf(id), ["dispute.opened", "dispute.closed"]);
  assert.equal((await read(`/charges/${charge}`)).disputed, false);
  assert.equal((await shop.post("/refunds", { charge_id: charge })).status, 201);
});

test("200: losing evidence loses the dispute, and its amount cannot be refunded", async () => {
  const charge = await pay();
  const { id } = await open(charge, { amount: 1500 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "losing_evidence" });
  assert.equal((await waitForDispute(id, "lost")).funds_withdrawn, true);
  assert.deepEqual((await transfersOf(id)).at(-1), ["dispute_loss", 1500]);
  assert.deepEqual(
    errorOf(await shop.post("/refunds", { charge_id: charge, amount: 500 })).slice(2),
    ["refund_amount_exceeds_captured", "amount"],
  );
  assert.equal((await shop.post("/refunds", { charge_id: charge })).body.amount, 499);
});

test("200: other evidence leaves the dispute under review until the network decides", async () => {
  const { id } = await open(await pay());
  await shop.post(`/disputes/${id}/evidence`, { product_description: "A cup" });
  const { body } = await shop.post(`/test_helpers/disputes/${id}/close`, { outcome: "won" });
  assert.equal(body.status, "won");
});

test("200: an accepted dispute is lost immediately, and a repeated key returns the same response", async () => {
  const { id } = await open(await pay());
  const first = await shop.post(`/disputes/${id}/accept`, {}, { key: "accept" });
  assert.equal(first.body.status, "lost");
  assert.equal((await shop.post(`/disputes/${id}/accept`, {}, { key: "accept" })).text, first.text);
  assert.deepEqual(await eventsOf(id), ["dispute.opened", "dispute.closed"]);
});

test("a dispute response that does not reach the network is sent again", async () => {
  const { id } = await open(await pay());
  // Waits for the submissions of earlier tests, because the fault must not affect them.
  await until(
    async () => shop.app.database.read`select 1 from disputes where response_due_at is not null`,
    (rows) => rows.length === 0,
  );
  shop.simulator.injectFaults({ dropBefore: true, on: ["dispute"], times: 1 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "winning_evidence" });
  await until(
    async () => shop.app.database.read`
      select 1 from disputes where id = ${uuidOf(id)} and response_due_at > ${shop.clock.now()}`,
    (rows) => rows.length === 1,
  );
  shop.clock.advance(91 * second);
  await waitForDispute(id, "won");
});

test("an inquiry moves no money, can be closed by a response, and allows refunds", async () => {
  const charge = await pay({ payment_method_id: "pm_card_createDisputeInquiry" });
  const [inquiry] = await until(
    async () => (await read(`/disputes?charge_id=${charge}`)).data,
    (found) => found.length > 0,
  );
  assert.deepEqual([inquiry.is_inquiry, inquiry.funds_withdrawn], [true, false]);
  assert.deepEqual(await transfersOf(inquiry.id), []);
  assert.equal((await shop.post("/refunds", { charge_id: charge, amount: 100 })).status, 201);
  await shop.post(`/disputes/${inquiry.id}/evidence`, { uncategorized_text: "winning_evidence" });
  assert.equal((await waitForDispute(inquiry.id, "won")).is_inquiry, true);
  assert.deepEqual(await transfersOf(inquiry.id), []);
});

test("a lost inquiry debits the remaining amount of the payment", async () => {
  const charge = await pay();
  const { id } = await open(charge, { is_inquiry: true });
  await shop.post("/refunds", { charge_id: charge, amount: 999 });
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "losing_evidence" });
  const lost = await waitForDispute(id, "lost");
  assert.deepEqual([lost.amount, lost.is_inquiry], [1000, false]);
});

test("a dispute without a response is lost at its deadline, and an inquiry becomes a chargeback first", async () => {
  const { id } = await open(await pay());
  const inquiry = await open(await pay(), { is_inquiry: true });
  shop.clock.advance(14 * day + second);
  const late = await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "late" });
  assert.match(errorOf(late)[2], /^dispute_(evidence_past_due|closed)$/);
  await waitForDispute(id, "lost");
  const escalated = await until(
    () => read(`/disputes/${inquiry.id}`),
    ({ is_inquiry }) => !is_inquiry,
  );
  assert.deepEqual([escalated.status, escalated.funds_withdrawn], ["needs_response", true]);
  assert.ok(escalated.evidence_due_by > inquiry.evidence_due_by);
  shop.clock.advance(14 * day + second);
  await waitForDispute(inquiry.id, "lost");
  assert.deepEqual(await eventsOf(inquiry.id), [
    "dispute.opened",
    "dispute.opened",
    "dispute.closed",
  ]);
});

test("a case that the network reports twice becomes one dispute", async () => {
  const charge = await pay();
  const { id } = await open(charge);
  await shop.app.database.transaction(
    (tx) => tx`update simulator.cases set notify_at = now() where reference = ${uuidOf(charge)}`,
  );
  await until(
    async () => shop.app.database.read`
      select 1 from simulator.cases where reference = ${uuidOf(charge)} and notify_at is null`,
    (rows) => rows.length === 1,
  );
  const { data } = await read(`/disputes?charge_id=${charge}`);
  assert.deepEqual([data.length, data[0].id, data[0].version], [1, id, 1]);
});

test("400: evidence must not be empty, and can be submitted only once and only while the dispute is open", async () => {
  const { id } = await open(await pay());
  const submitEvidence = (body: object) => shop.post(`/disputes/${id}/evidence`, body);
  assert.deepEqual(errorOf(await submitEvidence({})).slice(2), [
    "parameter_missing",
    "uncategorized_text",
  ]);
  assert.deepEqual(errorOf(await submitEvidence({ proof: "x" })).slice(2), [
    "parameter_unknown",
    "proof",
  ]);
  await submitEvidence({ uncategorized_text: "it was delivered" });
  assert.equal(
    errorOf(await submitEvidence({ uncategorized_text: "again" }))[2],
    "dispute_already_submitted",
  );
  await shop.post(`/disputes/${id}/accept`, {});
  assert.equal(errorOf(await submitEvidence({ uncategorized_text: "again" }))[2], "dispute_closed");
  assert.equal(errorOf(await shop.post(`/disputes/${id}/accept`, {}))[2], "dispute_closed");
  const close = await shop.post(`/test_helpers/disputes/${id}/close`, { outcome: "won" });
  assert.equal(errorOf(close)[2], "dispute_closed");
});

test("400: rejects a dispute of a payment without a remaining amount", async () => {
  const held = await pay({ capture_method: "manual" });
  const refunded = await pay();
  await shop.post("/refunds", { charge_id: refunded });
  for (const charge_id of [held, refunded]) {
    const reply = await shop.post("/test_helpers/disputes", { charge_id });
    assert.deepEqual(errorOf(reply).slice(2), ["status_transition_invalid", "charge_id"]);
  }
});

test("201: a dispute is created while another transaction locks other cases", async () => {
  const quiet = await startShop({ workers: false });
  const { database } = quiet.app;
  const request = async () => {
    const { id } = (await quiet.post("/charges", visa)).body;
    return quiet.post("/test_helpers/disputes", { charge_id: id });
  };
  try {
    await request();
    const due = new Date(quiet.clock.now().getTime() - second);
    await database.transaction((tx) => tx`update simulator.cases set notify_at = ${due}`);
    await database.transaction(async (tx) => {
      await tx`select from simulator.cases for update`;
      assert.equal((await request()).status, 201);
    });
  } finally {
    await closeChecked(quiet);
  }
});

test("200: a test helper can make a succeeded refund fail", async () => {
  const charge = await pay();
  const { id } = (await shop.post("/refunds", { charge_id: charge })).body;
  const { status, body } = await shop.post(`/test_helpers/refunds/${id}/fail`, {});
  assert.deepEqual([status, body.status], [200, "failed"]);
  assert.equal((await read(`/charges/${charge}`)).amount_refunded, 0);
  assert.equal(
    errorOf(await shop.post(`/test_helpers/refunds/${id}/fail`, {}))[2],
    "status_transition_invalid",
  );
});

test("200: lists can be filtered by status", async () => {
  const { data } = await read("/disputes?status=lost&limit=100");
  assert.ok(data.length > 2 && data.every(({ status }: { status: string }) => status === "lost"));
});

const evidenceOf = { uncategorized_text: "It was delivered." };
/** Returns the files that the simulated network has received for the dispute. */
const receivedFiles = async (id: `dp_${string}`) => {
  const [row] = await shop.app.database.read<{ files: { name: string; sha256: string }[] | null }>`
    select c.evidence_files as files from simulator.cases c join disputes d on d.network_case = c.id
     where d.id = ${uuidOf(id)}`;
  return row?.files ?? null;
};

test("200: the network receives each submitted file once and in order, although the evidence is submitted twice", async () => {
  const { id } = await open(await pay());
  const first = (await uploadEvidence(shop, id, { name: "delivery.pdf" })).body;
  const second = (await uploadEvidence(shop, id, { name: "invoice.pdf" })).body;
  await uploadEvidence(shop, id, { name: "not sent.pdf" });
  assert.deepEqual(
    [first.object, first.dispute_id, first.file_name, first.media_type, first.pages],
    ["dispute_file", id, "delivery.pdf", "application/pdf", 1],
  );
  const body = { ...evidenceOf, files: [second.id, first.id] };
  const submissions = await Promise.all(
    ["one", "two"].map((key) => shop.post(`/disputes/${id}/evidence`, body, { key: id + key })),
  );
  assert.deepEqual(submissions.map(({ status }) => status).sort(), [200, 400]);
  const files = await until(
    () => receivedFiles(id),
    (received) => received !== null,
  );
  const hash = sha256(evidencePdf);
  assert.deepEqual(
    files?.map((file) => [file.name, file.sha256]),
    [
      ["invoice.pdf", hash],
      ["delivery.pdf", hash],
    ],
  );
  assert.deepEqual((await read(`/disputes/${id}`)).evidence, body);
  assert.equal((await read(`/disputes/${id}`)).version, 2);
  const removed = await shop.delete(`/dispute_files/${first.id}`);
  assert.equal(errorOf(removed)[2], "dispute_already_submitted");
});

test("400: evidence is not submitted without a file that was deleted while the document was rendered", async () => {
  const { id } = await open(await pay());
  const file = (await uploadEvidence(shop, id, { name: "delivery.pdf" })).body;
  const { database } = shop.app;
  const submission = await database.transaction(async (tx) => {
    await tx`select from disputes where id = ${uuidOf(id)} for update`;
    const sent = shop.post(`/disputes/${id}/evidence`, { ...evidenceOf, files: [file.id] });
    await until(
      () => countLockWaits(database, "disputes"),
      (count) => count > 0,
    );
    await tx`delete from dispute_files where dispute_id = ${uuidOf(id)}`;
    // Returns the promise in an object, because the transaction would wait for a promise that is returned directly.
    return { sent };
  });
  assert.deepEqual(errorOf(await submission.sent).slice(2), ["resource_missing", "files[0]"]);
  assert.equal((await read(`/disputes/${id}`)).status, "needs_response");
});

test("an uploaded file is stored encrypted and returned as a download with the same bytes", async () => {
  const { id } = await open(await pay());
  const uploaded = await uploadEvidence(shop, id, { name: "../a.pdf.html", key: id });
  assert.equal(uploaded.status, 201, uploaded.text);
  const again = await uploadEvidence(shop, id, { name: "../a.pdf.html", key: id });
  assert.equal(again.text, uploaded.text);
  const stored = await shop.app.database.read<{ ciphertext: Buffer }>`
    select ciphertext from dispute_files where dispute_id = ${uuidOf(id)}`;
  assert.equal(stored.length, 1);
  assert.ok(!stored[0]?.ciphertext.includes("Ada Field"));
  const response = await fetch(`${shop.url}/api/v1/dispute_files/${uploaded.body.id}/content`, {
    headers: { authorization: `Bearer ${shop.merchant.key}` },
  });
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), evidencePdf);
  const { headers } = response;
  assert.equal(headers.get("content-type"), "application/pdf");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("content-disposition") ?? "", /^attachment; .*__a\.pdf\.html\.pdf$/);
  await shop.delete(`/dispute_files/${uploaded.body.id}`);
  assert.deepEqual((await read(`/dispute_files?dispute_id=${id}`)).data, []);
});

test("400: an upload is checked by its content, its size and the number of files", async () => {
  const { id } = await open(await pay());
  const rejected = async (upload: EvidenceUpload) =>
    errorOf(await uploadEvidence(shop, id, upload)).slice(2);
  const html = Buffer.from("<script>alert(1)</script>");
  assert.deepEqual(await rejected({ content: html }), ["parameter_invalid", "body"]);
  assert.deepEqual(await rejected({ mediaType: "image/png" }), [
    "parameter_invalid",
    "Content-Type",
  ]);
  const damaged = Buffer.from("%PDF-1.7 not a document");
  assert.deepEqual(await rejected({ content: damaged }), ["parameter_invalid", "body"]);
  const large = Buffer.alloc(1.5 * 1024 * 1024 + 1, "%PDF-1.7 ");
  assert.equal((await uploadEvidence(shop, id, { content: large })).status, 413);
  // Uploads the files one after another, because the number of concurrent uploads of an account is limited.
  let file = "";
  for (let count = 0; count < 10; count++) file = (await uploadEvidence(shop, id)).body.id;
  assert.deepEqual(await rejected({}), ["parameter_invalid", "dispute_id"]);
  const other = await open(await pay());
  const evidence = { files: [file] };
  const foreign = await shop.post(`/disputes/${other.id}/evidence`, evidence);
  assert.deepEqual(errorOf(foreign).slice(2), ["resource_missing", "files[0]"]);
  assert.equal((await read(`/disputes/${other.id}`)).status, "needs_response");
});

test("a draft is stored, and a save that has not read the latest version is rejected", async () => {
  const { id } = await open(await pay());
  const path = `/disputes/${id}/evidence_draft`;
  const none = await read(path);
  assert.deepEqual([none.version, none.updated, none.evidence], [0, null, {}]);
  const save = (version: number, uncategorized_text: string) =>
    shop.post(path, { version, evidence: { uncategorized_text } });
  const saved = await Promise.all([save(0, "first"), save(0, "second")]);
  assert.deepEqual(saved.map(({ status }) => status).sort(), [200, 400]);
  const lost = saved.find(({ status }) => status === 400);
  assert.deepEqual(errorOf(lost as Reply).slice(2), ["dispute_draft_changed", "version"]);
  assert.equal((await save(1, "third")).body.version, 2);
  assert.equal(errorOf(await save(1, "stale"))[2], "dispute_draft_changed");
  assert.deepEqual((await read(path)).evidence, { uncategorized_text: "third" });
  assert.equal((await read(`/disputes/${id}`)).evidence, null, "a draft is not evidence");
  await shop.post(`/disputes/${id}/evidence`, { uncategorized_text: "final" });
  assert.deepEqual((await read(path)).evidence, { uncategorized_text: "final" });
  assert.equal(errorOf(await save(0, "late"))[2], "dispute_already_submitted");
});

test("the draft suggests the facts of the payment, the customer and the card", async () => {
  const { body: earlier } = await shop.post("/charges", visa);
  const customer = (await shop.post("/customers", { name: "Ada", email: "ada@example.com" })).body;
  const charge = await pay({ customer_id: customer.id, description: "Two cups" });
  const { id } = await open(charge);
  const { suggested } = await read(`/disputes/${id}/evidence_draft`);
  assert.equal(suggested.customer_name, "Ada");
  assert.equal(suggested.customer_email_address, "ada@example.com");
  assert.equal(suggested.product_description, "Two cups");
  assert.match(suggested.receipt, /Amount: 19\.99 USD\nCard: Visa ending in 4242/);
  assert.match(suggested.earlier_payments, new RegExp(earlier.id));
  assert.ok(!suggested.earlier_payments.includes(charge));
});

test("the document contains the draft and every uploaded file", async () => {
  const { id } = await open(await pay());
  await uploadEvidence(shop, id);
  const evidence = { product_description: "Two cups" };
  await shop.post(`/disputes/${id}/evidence_draft`, { version: 0, evidence });
  const response = await fetch(`${shop.url}/api/v1/disputes/${id}/evidence_document`, {
    headers: { authorization: `Bearer ${shop.merchant.key}` },
  });
  assert.equal(response.headers.get("content-type"), "application/pdf");
  const document = await PDFDocument.load(await response.arrayBuffer());
  assert.equal(document.getPageCount(), 2);
});

test("the audit log records who uploaded, opened and deleted a file, and an analyst cannot upload", async () => {
  const { id } = await open(await pay());
  const person = await createPerson(shop, { role: "support" });
  const query = new URLSearchParams({ dispute_id: id, file_name: "a.pdf" });
  const upload = (by: TestPerson) =>
    by.api("POST", `/dispute_files?${query}`, evidencePdf, false, {
      "content-type": "application/pdf",
    });
  const uploaded = await upload(person);
  assert.equal(uploaded.status, 201, uploaded.text);
  const file = uploaded.body.id;
  assert.equal((await person.api("GET", `/dispute_files/${file}/content`)).status, 200);
  assert.equal((await person.api("DELETE", `/dispute_files/${file}`)).status, 200);
  const owner = await createPerson(shop);
  const { data } = (await owner.api("GET", `/audit_log?object_id=${file}`)).body;
  assert.deepEqual(
    data.map(({ action }: { action: string }) => action),
    ["dispute.file_deleted", "dispute.file_opened", "dispute.file_uploaded"],
  );
  const analyst = await createPerson(shop, { role: "analyst" });
  assert.equal((await upload(analyst)).status, 403);
});

test("200: disputes that need a response can be listed by their deadline, page by page", async () => {
  const { key } = await shop.createMerchant();
  const ids: string[] = [];
  for (let count = 0; count < 3; count++) {
    const charge = (await shop.post("/charges", visa, { as: key })).body.id;
    const reply = await shop.post("/test_helpers/disputes", { charge_id: charge }, { as: key });
    ids.push(reply.body.id);
  }
  const [first, second, third] = ids as [`dp_${string}`, `dp_${string}`, `dp_${string}`];
  await shop.app.database.transaction(
    (tx) => tx`update disputes set evidence_due_at = evidence_due_at - interval '1 day',
                      due_at = due_at - interval '1 day' where id = ${uuidOf(third)}`,
  );
  const idsOf = async (query: string) => {
    const { body } = await shop.get(`/disputes?order_by=evidence_due_by&${query}`, { as: key });
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await idsOf("limit=2"), [third, first]);
  assert.deepEqual(await idsOf(`limit=2&starting_after=${first}`), [second]);
  assert.deepEqual(await idsOf(`limit=2&ending_before=${second}`), [third, first]);
  await shop.post(`/disputes/${third}/accept`, {}, { as: key });
  assert.deepEqual(await idsOf("limit=2"), [first, second]);
  for (const [query, count] of [
    ["", 3],
    ["status=needs_response", 2],
    [`charge_id=${newId("ch", shop.clock.now())}`, 0],
  ] as const) {
    const { body } = await shop.get(`/disputes/count?${query}`, { as: key });
    assert.deepEqual(body, { object: "count", count, exact: true }, query);
  }
  const lost = await shop.get("/disputes?order_by=evidence_due_by&status=lost", { as: key });
  assert.deepEqual(errorOf(lost).slice(2), ["parameters_exclusive", "status"]);
});

test("400: rejects a file beyond 100 files of open disputes in test mode, and replaces the oldest of a closed one", async () => {
  const { account, key: as } = await shop.createMerchant();
  const open = async (): Promise<`dp_${string}`> => {
    const charge = (await shop.post("/charges", visa, { as })).body.id;
    return (await shop.post("/test_helpers/disputes", { charge_id: charge }, { as })).body.id;
  };
  const [older, newer] = [await open(), await open()];
  const oldest = (await uploadEvidence(shop, older, { as })).body.id;
  // Inserts 98 copies of the file for the newer dispute without uploads, because a dispute's own limit applies only to
  // uploads.
  await shop.app.database.transaction(
    (tx) => tx`
      insert into dispute_files (account_id, livemode, id, dispute_id, file_name, media_type, size, pages, ciphertext)
      select account_id, livemode, gen_random_uuid(), ${uuidOf(newer)}, file_name, media_type, size, pages, ciphertext
        from dispute_files, generate_series(1, 98)
       where account_id = ${uuidOf(account)}`,
  );
  assert.equal((await uploadEvidence(shop, older, { as })).status, 201);
  const rejected = await uploadEvidence(shop, older, { as });
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "dispute_id",
  ]);
  await shop.post(`/test_helpers/disputes/${older}/close`, { outcome: "lost" }, { as });
  const third = await open();
  const replies = await Promise.all([1, 2, 3].map(() => uploadEvidence(shop, third, { as })));
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 201, 400]);
  assert.equal((await shop.get(`/dispute_files/${oldest}/content`, { as })).status, 404);
  const [row] = await shop.app.database.read<{ count: number }>`
    select count(*)::integer as count from dispute_files where account_id = ${uuidOf(account)}`;
  assert.equal(row?.count, 100);

  // Inserts files beyond the limit. An older database can contain them, because earlier releases had no limit.
  await shop.post(`/test_helpers/disputes/${third}/close`, { outcome: "lost" }, { as });
  await shop.app.database.transaction(
    (tx) => tx`
      insert into dispute_files (account_id, livemode, id, dispute_id, file_name, media_type, size, pages, ciphertext)
      select account_id, livemode, gen_random_uuid(), ${uuidOf(older)}, file_name, media_type, size, pages, ciphertext
        from dispute_files where account_id = ${uuidOf(account)} limit 5`,
  );
  assert.equal((await uploadEvidence(shop, await open(), { as })).status, 201);
  const [left] = await shop.app.database.read<{ count: number }>`
    select count(*)::integer as count from dispute_files where account_id = ${uuidOf(account)}`;
  assert.equal(left?.count, 100);
});

test("404: rejects an unknown dispute", async () => {
  for (const id of [newId("dp", shop.clock.now()), "dp_1"]) {
    assert.deepEqual(errorOf(await shop.get(`/disputes/${id}`)).slice(2), [
      "resource_missing",
      "id",
    ]);
  }
});
