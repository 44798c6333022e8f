import assert from "node:assert/strict";
import { after, test } from "node:test";
import { documentKinds, fillIn, pdf, reported, uploadDocument } from "../application.ts";
import { createPerson } from "../person.ts";
import { errorOf, startShop } from "../shop.ts";

const shop = await startShop();
after(() => shop.close());

async function createMerchant() {
  const { account, key } = await shop.createMerchant();
  return { account, key, owner: await createPerson(shop, { account }) };
}

test("200: an application that has not been started is an empty draft that lists the missing sections", async () => {
  const { account, owner } = await createMerchant();
  const { status, body } = await owner.api("GET", "/application");
  assert.equal(status, 200);
  assert.equal(
    body.id.slice(4),
    account.slice(5),
    "the application ID has the same characters as the account ID",
  );
  assert.deepEqual([body.status, body.version], ["draft", 1]);
  assert.deepEqual(
    body.missing.map(({ section }: { section: string }) => section),
    ["business", "people", "bank_account", "products", "website", "documents", "documents"],
  );
});

test("200: each section is saved and read separately, and the bank account shows only its last four digits", async () => {
  const { owner } = await createMerchant();
  await fillIn(owner);
  const { body } = await owner.api("GET", "/application");
  const { account_number, ...shown } = reported.bank_account;
  assert.deepEqual(body.sections, {
    ...reported,
    bank_account: { ...shown, last4: account_number.slice(-4) },
  });
  assert.deepEqual(body.missing, []);
  assert.deepEqual(
    body.documents.map(({ kind, size, media_type }: Record<string, unknown>) => [
      kind,
      size,
      media_type,
    ]),
    documentKinds.map((kind) => [kind, pdf.length, "application/pdf"]),
  );
});

test("200: the amounts of an application are not limited to those that are usual in dollars", async () => {
  const { owner } = await createMerchant();
  const products = {
    ...reported.products,
    currency: "idr",
    average_payment: 150_000_000,
    monthly_volume: 900_000_000_000_000,
  };
  const { status, text } = await owner.api("POST", "/application/products", products);
  assert.equal(status, 200, text);
  assert.deepEqual((await owner.api("GET", "/application")).body.sections.products, products);
});

test("an application is encrypted in the database: no name, number or file is readable", async () => {
  const { account, owner } = await createMerchant();
  await fillIn(owner);
  const headers = {
    "florin-account": account,
    "florin-mode": "test",
    "idempotency-key": "kept for a day",
  };
  await owner.send("POST", "/api/v1/application/people", reported.people, headers);
  await shop.app.writeRequestLog();
  const client = await shop.app.database.connect();
  const { rows } = await client.query(
    `select string_agg(encode(ciphertext, 'escape'), '') || (select string_agg(i::text, '') from idempotency_keys i)
              || (select string_agg(r::text, '') from request_log r) || (select string_agg(l::text, '') from audit_log l) as text
       from (select ciphertext from application_sections union all select ciphertext from application_documents) s`,
  );
  await client.end();
  assert.ok(rows[0].text.includes("kept for a day"));
  for (const secret of ["Ada", "000123456789", "Fieldware LLC", "Identity of"]) {
    assert.ok(
      !rows[0].text.includes(secret),
      `${secret} of ${account} is readable in the database`,
    );
  }
});

test("a complete application can be submitted, is then read-only, and emits an event in both modes", async () => {
  const { account, key, owner } = await createMerchant();
  const early = await owner.api("POST", "/application/submit", {});
  assert.deepEqual(errorOf(early), [
    400,
    "invalid_request_error",
    "application_incomplete",
    "business",
  ]);
  await fillIn(owner);
  const { status, body } = await owner.api("POST", "/application/submit", {});
  assert.deepEqual([status, body.status], [200, "submitted"]);
  const { documents } = (await owner.api("GET", "/application")).body;

  for (const rejected of [
    await owner.api("POST", "/application/website", reported.website),
    await uploadDocument(owner, pdf),
    await owner.api("DELETE", `/application/documents/${documents[0].id}`),
    await owner.api("POST", "/application/submit", {}),
  ]) {
    assert.deepEqual(errorOf(rejected), [
      400,
      "invalid_request_error",
      "status_transition_invalid",
    ]);
  }

  const { data } = (await shop.get("/events?type=account.updated", { as: key })).body;
  assert.deepEqual(
    data.map(({ data }: { data: { object: Record<string, unknown> } }) => [
      data.object.id,
      data.object.application_status,
    ]),
    [[account, "submitted"]],
  );
});

test("200: the audit log records who deleted a document", async () => {
  const { owner } = await createMerchant();
  const { id, kind } = (await uploadDocument(owner, pdf)).body;
  assert.equal((await owner.api("DELETE", `/application/documents/${id}`)).status, 200);
  const { data } = (await owner.api("GET", "/audit_log?action=application.document_deleted")).body;
  assert.deepEqual(
    data.map(({ actor, after }: { actor: { name: string }; after: object }) => [actor.name, after]),
    [[owner.email, { document: id, kind }]],
  );
});

test("400: rejects a file that is not a PDF, PNG or JPEG, or is not of its declared type", async () => {
  const { owner } = await createMerchant();
  const page = Buffer.from("<html><script>alert(1)</script>");
  for (const content of [page, Buffer.concat([Buffer.from(" "), pdf]), Buffer.alloc(0)]) {
    const rejected = await uploadDocument(owner, content);
    const expected = [400, "invalid_request_error", "parameter_invalid", "body"];
    assert.deepEqual(errorOf(rejected), expected, rejected.text);
  }
  const mislabeled = await uploadDocument(owner, pdf, { mediaType: "image/png" });
  assert.deepEqual(errorOf(mislabeled), [
    400,
    "invalid_request_error",
    "parameter_invalid",
    "Content-Type",
  ]);
  const unnamed = await owner.api("POST", "/application/documents?kind=identity", pdf, false, {
    "content-type": "application/pdf",
  });
  const missing = [400, "invalid_request_error", "parameter_missing", "file_name"];
  assert.deepEqual(errorOf(unnamed), missing);
});

test("413: rejects a file of more than five MiB, with a declared length or sent in chunks", async () => {
  const { owner, account } = await createMerchant();
  const large = Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024)]);
  const expected = [413, "invalid_request_error", "body_too_large"];
  assert.deepEqual(errorOf(await uploadDocument(owner, large)), expected);
  const chunked = await fetch(
    `${shop.url}/api/v1/application/documents?kind=identity&file_name=a.pdf`,
    {
      method: "POST",
      headers: {
        cookie: owner.cookie(),
        "sec-fetch-site": "same-origin",
        "florin-account": account,
        "florin-mode": "test",
        "content-type": "application/pdf",
      },
      body: new Blob([large]).stream(),
      duplex: "half",
    } as RequestInit,
  );
  assert.equal(chunked.status, 413);
  assert.equal(
    ((await chunked.json()) as { error: { code: string } }).error.code,
    "body_too_large",
  );
});

test("415: rejects a document inside JSON or with any other content type", async () => {
  const { owner } = await createMerchant();
  for (const mediaType of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
    const rejected = await uploadDocument(owner, pdf, { mediaType });
    const expected = [415, "invalid_request_error", "content_type_unsupported"];
    assert.deepEqual(errorOf(rejected), expected, mediaType);
  }
});

test("an upload repeated with its Idempotency-Key is stored once, and another file with that key is rejected", async () => {
  const { owner } = await createMerchant();
  const key = "passport";
  const first = await uploadDocument(owner, pdf, { key });
  const again = await uploadDocument(owner, pdf, { key });
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  const conflict = [422, "idempotency_error", "idempotency_key_in_use"];
  const other = Buffer.concat([pdf, Buffer.from("x")]);
  assert.deepEqual(errorOf(await uploadDocument(owner, other, { key })), conflict);
  assert.deepEqual(errorOf(await uploadDocument(owner, pdf, { key, kind: "other" })), conflict);
  const { documents } = (await owner.api("GET", "/application")).body;
  assert.equal(documents.length, 1);
});

test("201: accepts a file of exactly five MiB", async () => {
  const { owner } = await createMerchant();
  const whole = Buffer.concat([pdf, Buffer.alloc(5 * 1024 * 1024 - pdf.length)]);
  const taken = await uploadDocument(owner, whole);
  assert.deepEqual([taken.status, taken.body.size], [201, 5 * 1024 * 1024]);
});

test("403: keys cannot read an application, and only roles with the permission can change it", async () => {
  const { account, key } = await createMerchant();
  const read = await shop.get("/application", { as: key });
  assert.deepEqual(errorOf(read), [403, "invalid_request_error", "permission_denied"]);
  const developer = await createPerson(shop, { account, role: "developer" });
  assert.equal((await developer.api("GET", "/application")).status, 200);
  const support = await createPerson(shop, { account, role: "support" });
  assert.equal((await support.api("GET", "/application")).status, 403);
  const saved = await developer.api("POST", "/application/website", reported.website);
  assert.deepEqual(errorOf(saved), [403, "invalid_request_error", "permission_denied"]);
});

test("404: a document of another merchant is not found", async () => {
  const one = await createMerchant();
  const other = await createMerchant();
  await fillIn(one.owner);
  const { documents } = (await one.owner.api("GET", "/application")).body;
  const rejected = await other.owner.api("DELETE", `/application/documents/${documents[0].id}`);
  assert.deepEqual(errorOf(rejected).slice(0, 3), [
    404,
    "invalid_request_error",
    "resource_missing",
  ]);
});

test("of concurrent updates of sections, each is either saved or rejected with resource_changed", async () => {
  const { owner } = await createMerchant();
  const responses = await Promise.all(
    Object.entries(reported).map(([name, content]) =>
      owner.api("POST", `/application/${name}`, content),
    ),
  );
  const saved = responses.filter(({ status }) => status === 200).length;
  for (const response of responses.filter(({ status }) => status !== 200)) {
    assert.equal(response.body.error.code, "resource_changed");
  }
  const { body } = await owner.api("GET", "/application");
  const filled = Object.values(body.sections).filter((section) => section !== null).length;
  assert.deepEqual([filled, body.version], [saved, 1 + saved]);
});
