import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Role } from "@florin/contract/roles.ts";
import { newId } from "../../src/core/ids.ts";
import { mailTo, tokenMailedTo } from "../mailbox.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { errorOf, startShop, until } from "../shop.ts";

const shop = await startShop({ workers: false });
after(() => shop.close());

const denied = [403, "invalid_request_error", "permission_denied"];

/** Creates a merchant with an owner and the given other members. */
async function createTeam<const Others extends readonly Role[]>(...others: Others) {
  const { account, key } = await shop.createMerchant();
  const owner = await createPerson(shop, { account });
  const people: TestPerson[] = [];
  for (const role of others) people.push(await createPerson(shop, { account, role }));
  return { account, key, owner, people };
}

async function memberIdOf(by: TestPerson, person: TestPerson): Promise<string> {
  const { data } = (await by.api("GET", "/members?limit=100")).body;
  return data.find((one: { person_id: string }) => one.person_id === person.id).id;
}

const invite = (by: TestPerson, email: string, role: Role = "support") =>
  by.api("POST", "/invitations", { email, role });
const postInvitation = (path: string, body: object) =>
  shop.send("POST", `/auth/v1/invitations/${path}`, {
    body,
    headers: { "sec-fetch-site": "same-origin" },
  });

let count = 0;
const newAddress = () => `guest${++count}@example.com`;

test("201: an invited person signs up with the link and joins the team with the invited role", async () => {
  const { account, owner } = await createTeam();
  const email = newAddress();
  const invitation = await invite(owner, email);
  assert.deepEqual(
    [invitation.status, invitation.body.status, invitation.body.role],
    [201, "open", "support"],
  );
  assert.match(
    (await mailTo(shop, email)).text,
    /invited you to join the team of Fieldware\. Your role will be support/,
  );
  const token = await tokenMailedTo(shop, email);
  const seen = (await postInvitation("read", { token })).body;
  assert.deepEqual([seen.email, seen.account_name, seen.is_known], [email, "Fieldware", false]);

  const chosen = { token, name: "Grace", password: "a sentence of some length 1" };
  const joined = await postInvitation("sign_up", chosen);
  assert.deepEqual([joined.status, joined.body.account_id], [201, account]);
  const cookie = joined.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { cookie, "florin-account": account, "florin-mode": "test" };
  assert.equal((await shop.send("GET", "/api/v1/charges", { headers })).status, 200);
  assert.deepEqual(errorOf(await shop.send("GET", "/api/v1/api_keys", { headers })), denied);

  assert.deepEqual(errorOf(await postInvitation("sign_up", chosen)), [
    400,
    "invalid_request_error",
    "link_invalid",
    "token",
  ]);
  const [{ status }] = (await owner.api("GET", "/invitations")).body.data;
  assert.equal(status, "accepted");
});

test("201: an invited person with an account accepts while signed in as the invited address", async () => {
  const { owner, account } = await createTeam();
  const guest = await createPerson(shop, { account: (await shop.createMerchant()).account });
  const other = await createPerson(shop, { account: (await shop.createMerchant()).account });
  await invite(owner, guest.email, "analyst");
  const token = await tokenMailedTo(shop, guest.email);
  assert.equal((await postInvitation("read", { token })).body.is_known, true);

  const stolen = await other.send("POST", "/auth/v1/invitations/accept", { token });
  assert.deepEqual(errorOf(stolen), [400, "invalid_request_error", "invitation_for_another"]);
  const accepted = await guest.send("POST", "/auth/v1/invitations/accept", { token });
  assert.deepEqual([accepted.status, accepted.body.role], [201, "analyst"]);
  const { memberships } = (await guest.send("GET", "/auth/v1/me")).body;
  assert.ok(memberships.some((one: { account: { id: string } }) => one.account.id === account));
});

test("400: rejects an invitation that is revoked, replaced or one week old", async () => {
  const { owner } = await createTeam();
  const email = newAddress();
  const gone = [400, "invalid_request_error", "link_invalid", "token"];

  const { id } = (await invite(owner, email)).body;
  const first = await tokenMailedTo(shop, email);
  assert.equal((await owner.api("POST", `/invitations/${id}/revoke`, {})).body.status, "revoked");
  assert.deepEqual(errorOf(await postInvitation("read", { token: first })), gone);

  const again = newAddress();
  await invite(owner, again);
  const replaced = await tokenMailedTo(shop, again);
  await shop.app.database.transaction((tx) => tx`delete from mails where recipient = ${again}`);
  await invite(owner, again);
  assert.deepEqual(errorOf(await postInvitation("read", { token: replaced })), gone);
  const token = await tokenMailedTo(shop, again);
  assert.equal((await postInvitation("read", { token })).status, 200);
  await shop.app.database.transaction(
    (tx) => tx`update invitations set expires_at = ${shop.clock.now()} where email = ${again}`,
  );
  assert.deepEqual(errorOf(await postInvitation("read", { token })), gone);
});

test("201: of several concurrent invitations to one address, the last one is valid", async () => {
  const { owner } = await createTeam();
  const email = newAddress();
  const created = await Promise.all(Array.from({ length: 10 }, () => invite(owner, email)));
  assert.deepEqual(
    created.map(({ status }) => status),
    created.map(() => 201),
  );
  const { data } = (await owner.api("GET", "/invitations?limit=100")).body;
  assert.deepEqual(data.map(({ status }: { status: string }) => status).toSorted(), [
    "open",
    ...Array(9).fill("revoked"),
  ]);
});

test("400: rejects an invitation of a person who is already in the team", async () => {
  const { owner, people } = await createTeam("analyst");
  const [analyst] = people as [TestPerson];
  const rejected = await invite(owner, analyst.email.toUpperCase());
  assert.deepEqual(errorOf(rejected), [
    400,
    "invalid_request_error",
    "resource_already_exists",
    "email",
  ]);
});

test("200: a new role applies within one second", async () => {
  const { owner, people } = await createTeam("support");
  const [support] = people as [TestPerson];
  assert.equal((await support.api("GET", "/charges")).status, 200);
  const id = await memberIdOf(owner, support);
  const changed = await owner.api("POST", `/members/${id}`, { role: "developer" });
  assert.deepEqual([changed.status, changed.body.role], [200, "developer"]);
  await until(
    () => support.api("GET", "/api_keys"),
    ({ status }) => status === 200,
    1_200,
  );
});

test("400: rejects an invitation by a person who was removed or has a lower role since", async () => {
  const { owner, people } = await createTeam("admin", "admin");
  const [removed, demoted] = people as [TestPerson, TestPerson];
  const links = [];
  for (const by of [removed, demoted, owner]) {
    const email = newAddress();
    assert.equal((await invite(by, email, "admin")).status, 201);
    links.push(await tokenMailedTo(shop, email));
  }
  await owner.api("DELETE", `/members/${await memberIdOf(owner, removed)}`);
  await owner.api("POST", `/members/${await memberIdOf(owner, demoted)}`, { role: "analyst" });
  const seen = await Promise.all(links.map((token) => postInvitation("read", { token })));
  assert.deepEqual(
    seen.map(({ status }) => status),
    [400, 400, 200],
  );
});

test("404: a removed person loses access to the account within one second", async () => {
  const { owner, people } = await createTeam("admin");
  const [admin] = people as [TestPerson];
  assert.equal((await admin.api("GET", "/charges")).status, 200);
  const id = await memberIdOf(owner, admin);
  assert.equal((await owner.api("DELETE", `/members/${id}`)).body.deleted, true);
  await until(
    () => admin.api("GET", "/charges"),
    ({ status }) => status === 404,
    1_200,
  );
});

test("400: the last owner can be neither removed nor demoted", async () => {
  const { owner } = await createTeam("admin");
  const id = await memberIdOf(owner, owner);
  const ownerRequired = [400, "invalid_request_error", "owner_required"];
  assert.deepEqual(
    errorOf(await owner.api("POST", `/members/${id}`, { role: "admin" })),
    ownerRequired,
  );
  assert.deepEqual(errorOf(await owner.api("DELETE", `/members/${id}`)), ownerRequired);
  assert.deepEqual(errorOf(await owner.api("POST", "/team/leave", {})), ownerRequired);
});

test("when two owners remove each other concurrently, one remains", async () => {
  for (let round = 0; round < 5; round++) {
    const { owner, people } = await createTeam("owner");
    const [other] = people as [TestPerson];
    const ids = [await memberIdOf(owner, owner), await memberIdOf(owner, other)];
    const replies = await Promise.all([
      owner.api("DELETE", `/members/${ids[1]}`),
      other.api("DELETE", `/members/${ids[0]}`),
    ]);
    const statuses = replies.map(({ status }) => status).sort();
    // The slower request is rejected, or the session that sent it no longer exists.
    assert.ok(/^200,40[34]$/.test(statuses.join()), statuses.join());
  }
});

test("403: an admin cannot invite, appoint, change or remove owners", async () => {
  const { owner, people } = await createTeam("admin", "support");
  const [admin, support] = people as [TestPerson, TestPerson];
  const ofOwner = await memberIdOf(owner, owner);
  const ofSupport = await memberIdOf(owner, support);
  assert.deepEqual(
    errorOf(await admin.api("POST", `/members/${ofOwner}`, { role: "admin" })),
    denied,
  );
  assert.deepEqual(errorOf(await admin.api("DELETE", `/members/${ofOwner}`)), denied);
  const raised = await admin.api("POST", `/members/${ofSupport}`, { role: "owner" });
  assert.deepEqual(errorOf(raised), denied);
  assert.deepEqual(errorOf(await invite(admin, newAddress(), "owner")), denied);
  assert.equal((await invite(admin, newAddress(), "admin")).status, 201);
  const other = await admin.api("POST", `/members/${ofSupport}`, { role: "admin" });
  assert.equal(other.status, 200);
});

for (const role of ["developer", "support", "analyst"] as const) {
  test(`403: the role ${role} can leave, but cannot invite, change or remove members`, async () => {
    const { owner, people } = await createTeam(role);
    const [person] = people as [TestPerson];
    const id = await memberIdOf(owner, owner);
    assert.deepEqual(errorOf(await invite(person, newAddress())), denied);
    assert.deepEqual(
      errorOf(await person.api("POST", `/members/${id}`, { role: "admin" })),
      denied,
    );
    assert.deepEqual(errorOf(await person.api("DELETE", `/members/${id}`)), denied);
    assert.equal((await person.api("POST", "/team/leave", {})).body.deleted, true);
  });
}

test("403: a key can neither read nor change nor leave the team", async () => {
  const { key } = await createTeam();
  assert.deepEqual(errorOf(await shop.get("/members", { as: key })), denied);
  assert.deepEqual(errorOf(await shop.get("/invitations", { as: key })), denied);
  assert.deepEqual(errorOf(await shop.post("/team/leave", {}, { as: key })), denied);
});

test("404: members and invitations of another account are not found", async () => {
  const ownTeam = await createTeam();
  const supportTeam = await createTeam("support");
  const member = await memberIdOf(supportTeam.owner, supportTeam.people[0] as TestPerson);
  const { id: invitation } = (await invite(supportTeam.owner, newAddress())).body;
  const missing = [404, "invalid_request_error", "resource_missing", "id"];
  const now = shop.clock.now();
  for (const id of [member, newId("mem", now), "mem_1"]) {
    const change = await ownTeam.owner.api("POST", `/members/${id}`, { role: "admin" });
    assert.deepEqual(errorOf(change), missing);
    assert.deepEqual(errorOf(await ownTeam.owner.api("DELETE", `/members/${id}`)), missing);
  }
  for (const id of [invitation, newId("inv", now), "inv_1"]) {
    assert.deepEqual(
      errorOf(await ownTeam.owner.api("POST", `/invitations/${id}/revoke`, {})),
      missing,
    );
  }
});

test("200: the audit log records who invited, joined, changed and removed a member", async () => {
  const { owner } = await createTeam();
  const email = newAddress();
  await invite(owner, email);
  const token = await tokenMailedTo(shop, email);
  await postInvitation("sign_up", {
    token,
    name: "Grace",
    password: "a sentence of some length 1",
  });
  const { data } = (await owner.api("GET", "/members")).body;
  const { id } = data.find((one: { email: string }) => one.email === email);
  await owner.api("POST", `/members/${id}`, { role: "analyst" });
  await owner.api("DELETE", `/members/${id}`);
  const log = (await owner.api("GET", "/audit_log")).body.data;
  assert.deepEqual(
    log.map(({ action, actor }: { action: string; actor: { name: string } }) => [
      action,
      actor.name,
    ]),
    [
      ["member.removed", owner.email],
      ["member.role_changed", owner.email],
      ["member.joined", email],
      ["invitation.created", owner.email],
    ],
  );
});
