import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createPerson } from "../person.ts";
import { startShop } from "../shop.ts";

const shop = await startShop({ workers: false, trustedProxies: ["127.0.0.1/32"] });
after(() => shop.close());

for (const [what, forwarded, recorded] of [
  ["without its port", "203.0.113.9:51234", "203.0.113.9"],
  ["in its usual spelling", "::FFFF:203.0.113.9", "203.0.113.9"],
  ["as unknown if it is not an address", `4242424242424242 ${"x".repeat(5_000)}`, "unknown"],
] as const) {
  test(`the audit log, the sessions and the request log record a forwarded address ${what}`, async () => {
    const { account } = await shop.createMerchant();
    const owner = await createPerson(shop, { account });
    const headers = { "x-forwarded-for": forwarded };
    const { email, password } = owner;
    const signedIn = await owner.send("POST", "/auth/v1/sign_in", { email, password }, headers);
    assert.equal(signedIn.status, 200, signedIn.text);
    const sent = await owner.api("POST", "/customers", { name: "Ada" }, false, headers);
    assert.equal(sent.status, 201);

    const { data: entries } = (await owner.api("GET", "/audit_log")).body;
    const { data: sessions } = (await owner.send("GET", "/auth/v1/sessions")).body;
    await shop.app.writeRequestLog();
    const id = sent.headers.get("request-id");
    const logged = (await owner.api("GET", `/request_logs/${id}`)).body;
    const ipOf = (action: string) =>
      entries.find((entry: { action: string }) => entry.action === action).ip;
    const current = sessions.find((session: { current: boolean }) => session.current);
    assert.deepEqual(
      [ipOf("member.signed_in"), ipOf("customer.created"), current.ip, logged.ip],
      [recorded, recorded, recorded, recorded],
    );
  });
}
