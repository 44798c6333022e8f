import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId } from "../../src/core/ids.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { startShop } from "../shop.ts";
import { dose, sample } from "../test-size.ts";

/*
 * Sends hostile input in every text and number parameter of every endpoint. The input must be rejected or match no
 * object. It must never cause a 5xx.
 */
const shop = await startShop({ workers: false });
after(() => shop.close());

type Parameter = { name: string; in: "path" | "query" };
const reads: { path: string; parameters: Parameter[] }[] = [];
let operator: TestPerson;
before(async () => {
  const { paths } = shop.document;
  for (const [path, { get }] of Object.entries<{ get?: { parameters?: Parameter[] } }>(paths)) {
    // The stream of events never ends.
    if (get && !path.endsWith("/stream")) reads.push({ path, parameters: get.parameters ?? [] });
  }
  operator = await createPerson(shop, { operator: true, secondFactor: true });
});

const hostile = [
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%F0%9F%92%B3",
  "%25_%5C",
  "'%22;--",
  "-1",
  "0",
  "1e999",
  "-999999999999999",
  "999999999999999",
  "9007199254740993",
  "..%2F..%2F",
  "__proto__",
  `ch_${"7".repeat(26)}`,
  "%EF%BF%BF".repeat(300),
];

/**
 * The number of texts that each endpoint receives. In the short dose, consecutive endpoints receive different texts.
 */
const textsPerEndpoint = dose("texts", { short: 6, long: hostile.length });

test("no text or number in a path or query causes a 5xx", async () => {
  const now = shop.clock.now();
  for (const [place, { path, parameters }] of reads.entries()) {
    const requestPath = path.replace("{id}", newId("ch", now));
    const turned = [
      ...hostile.slice(place % hostile.length),
      ...hostile.slice(0, place % hostile.length),
    ];
    for (const text of sample(turned, textsPerEndpoint)) {
      if (path.includes("{id}")) await request(path.replace("{id}", text));
      for (const { name } of parameters.filter((parameter) => parameter.in === "query")) {
        await request(`${requestPath}?${name}=${text}`);
      }
      for (const name of ["created[gte]", "amount[lte]", "metadata[order_id]"]) {
        if (parameters.some((parameter) => name.startsWith(`${parameter.name}[`))) {
          await request(`${requestPath}?${name}=${text}`);
        }
      }
    }
  }

  async function request(path: string): Promise<void> {
    const below = path.startsWith("/api/v1") ? path.slice("/api/v1".length) : path;
    const { status } = await operator.api("GET", below, undefined, true);
    assert.ok(status < 500, `${status} for GET ${path}`);
  }
});

test("no text or number in a path or query of the dashboard and admin APIs causes a 5xx", async () => {
  const { account } = shop.merchant;
  for (const text of hostile) {
    for (const [method, path] of [
      ["GET", `/operator/v1/accounts?search=${text}`],
      ["GET", `/operator/v1/accounts?starting_after=${text}`],
      ["GET", `/operator/v1/accounts/${text}`],
      ["GET", `/operator/v1/accounts/${account}/application/documents/${text}`],
      ["GET", `/operator/v1/applications?status=${text}`],
      ["GET", `/operator/v1/figures?from=${text}`],
      ["GET", `/operator/v1/figures?created[gte]=${text}&created[lt]=${text}`],
      ["DELETE", `/auth/v1/passkeys/${text}`],
      ["DELETE", `/auth/v1/sessions/${text}`],
      ["GET", `/dashboard/${text}`],
      ["GET", `/dashboard/assets/${text}`],
    ] as const) {
      const { status } = await operator.send(method, path);
      assert.ok(status < 500, `${status} for ${method} ${path}`);
    }
  }
});
