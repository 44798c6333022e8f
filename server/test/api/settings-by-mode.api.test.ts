import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Permission } from "@florin/contract/permissions.ts";
import { type AccountId, newId, uuidOf } from "../../src/core/ids.ts";
import { insertApiKey } from "../../src/identity/api-keys/api-key.sql.ts";
import { newApiKey } from "../../src/identity/api-keys/issue-api-key.ts";
import type { SecretKey } from "../../src/identity/api-keys/key-text.ts";
import { pdf, reported } from "../application.ts";
import type { Reply } from "../client.ts";
import { pngOf } from "../image.ts";
import { createPerson, type TestPerson } from "../person.ts";
import { startShop } from "../shop.ts";

const shop = await startShop({ workers: false });
const { database } = shop.app;
after(() => shop.close());

type Send = (method: string, path: string, body?: unknown) => Promise<Reply>;

type Credential = {
  readonly name: string;
  readonly livemode: boolean;
  readonly kind: "key" | "person";
  /** Null if the credential has every permission of its kind. */
  readonly permissions: readonly Permission[] | null;
  readonly secondFactor: boolean;
  readonly send: Send;
};

type Team = { readonly account: AccountId; readonly owner: TestPerson };

type Setting = {
  readonly method: "POST" | "DELETE";
  /** The path as in the OpenAPI document. */
  readonly path: string;
  readonly permission: Permission;
  readonly peopleOnly?: true;
  /** True if both modes share the setting. */
  readonly shared?: true;
  /** True if the operation changes nothing in test mode, for every caller. */
  readonly liveOnly?: true;
  /** The error code that allowed callers receive. Absent if their requests succeed. */
  readonly otherwise?: string;
  readonly change: (send: Send, team: Team) => Promise<Reply>;
};

/** Tables to which requests write without changing a setting. */
const logs = [
  "request_log",
  "audit_log",
  "audit_heads",
  "configuration_changes",
  "idempotency_keys",
  "mails",
];

const tables = await database.read<{ name: string; by_mode: boolean }>`
  select c.table_name as name, bool_or(c.column_name = 'livemode') as by_mode
    from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
   where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> all(${logs}::text[])
   group by c.table_name
  having bool_or(c.column_name = 'account_id')
   order by 1`;

let count = 0;
const unique = () => `n${++count}`;
const at = (path: string, body: () => unknown) => (send: Send) =>
  send("POST", path.replace("/api/v1", ""), body());

const settings: readonly Setting[] = [
  {
    method: "POST",
    path: "/api/v1/account",
    permission: "account:write",
    change: at("/account", () => ({ allowed_origins: [`https://${unique()}.example`] })),
  },
  {
    method: "POST",
    path: "/api/v1/account",
    permission: "account:write",
    change: async (send) => {
      const reply = await send("POST", "/account", { payout_schedule: "daily" });
      if (reply.status === 200) await send("POST", "/account", { payout_schedule: "manual" });
      return reply;
    },
  },
  {
    method: "POST",
    path: "/api/v1/account",
    permission: "account:write",
    change: async (send) => {
      const reply = await send("POST", "/account", { email_receipts: true });
      if (reply.status === 200) await send("POST", "/account", { email_receipts: false });
      return reply;
    },
  },
  {
    method: "POST",
    path: "/api/v1/account/profile",
    permission: "account:write",
    shared: true,
    change: at("/account/profile", () => ({ name: `Fieldware ${unique()}` })),
  },
  {
    method: "POST",
    path: "/api/v1/account/logo",
    permission: "account:write",
    peopleOnly: true,
    shared: true,
    change: at("/account/logo", () => pngOf(32 + ++count, 32)),
  },
  {
    method: "DELETE",
    path: "/api/v1/account/logo",
    permission: "account:write",
    peopleOnly: true,
    shared: true,
    change: (send) => send("DELETE", "/account/logo"),
  },
  {
    method: "POST",
    path: "/api/v1/webhook_endpoints",
    permission: "webhooks:write",
    change: at("/webhook_endpoints", () => ({
      url: `https://${unique()}.example/hook`,
      enabled_events: ["*"],
    })),
  },
  {
    method: "POST",
    path: "/api/v1/rules",
    permission: "decisions:write",
    change: at("/rules", () => ({
      expression: `amount > ${++count}`,
      outcome: "review",
    })),
  },
  {
    method: "POST",
    path: "/api/v1/list_entries",
    permission: "decisions:write",
    change: at("/list_entries", () => ({
      list: "block",
      attribute: "email",
      value: `${unique()}@example.com`,
    })),
  },
  {
    method: "POST",
    path: "/api/v1/saved_views",
    permission: "payments:write",
    change: at("/saved_views", () => ({ list: "charges", name: unique(), query: "status=failed" })),
  },
  {
    method: "POST",
    path: "/api/v1/notification_preferences",
    permission: "account:read",
    peopleOnly: true,
    change: at("/notification_preferences", () => ({ disputes: count++ % 2 === 0 })),
  },
  {
    method: "POST",
    path: "/api/v1/notifications/read",
    permission: "account:read",
    peopleOnly: true,
    change: at("/notifications/read", () => ({})),
  },
  {
    method: "POST",
    path: "/api/v1/api_keys",
    permission: "keys:write",
    peopleOnly: true,
    change: at("/api_keys", () => ({ name: unique() })),
  },
  {
    method: "POST",
    path: "/api/v1/settings_copy",
    permission: "settings:copy",
    peopleOnly: true,
    liveOnly: true,
    change: at("/settings_copy", () => ({ keys: [] })),
    otherwise: "parameter_invalid_empty",
  },
  {
    method: "POST",
    path: "/api/v1/invitations",
    permission: "team:write",
    peopleOnly: true,
    shared: true,
    change: at("/invitations", () => ({ email: `${unique()}@example.com`, role: "admin" })),
  },
  {
    method: "POST",
    path: "/api/v1/invitations/{id}/revoke",
    permission: "team:write",
    peopleOnly: true,
    shared: true,
    async change(send, { account, owner }) {
      const id = newId("inv", shop.clock.now());
      await database.transaction(
        (tx) => tx`
          insert into invitations (account_id, id, email, role, invited_by, token_hash, expires_at)
          values (${uuidOf(account)}, ${uuidOf(id)}, ${`${unique()}@example.com`}, 'admin', ${uuidOf(owner.id)},
                  ${Buffer.from(id)}, ${new Date(shop.clock.now().getTime() + 60_000)})`,
      );
      return send("POST", `/invitations/${id}/revoke`, {});
    },
  },
  {
    method: "POST",
    path: "/api/v1/members/{id}",
    permission: "team:write",
    peopleOnly: true,
    shared: true,
    change: async (send, team) =>
      send("POST", `/members/${await addMember(team)}`, {
        role: count++ % 2 ? "admin" : "support",
      }),
  },
  {
    method: "DELETE",
    path: "/api/v1/members/{id}",
    permission: "team:write",
    peopleOnly: true,
    shared: true,
    change: async (send, team) => send("DELETE", `/members/${await addMember(team)}`),
  },
  {
    method: "POST",
    path: "/api/v1/team/leave",
    permission: "account:read",
    peopleOnly: true,
    shared: true,
    async change(send, { owner, account }) {
      const reply = await send("POST", "/team/leave", {});
      if (reply.status === 200) await rejoin(account, owner);
      return reply;
    },
  },
  ...Object.entries(reported).map(
    ([name, content]): Setting => ({
      method: "POST",
      path: `/api/v1/application/${name}`,
      permission: "application:write",
      peopleOnly: true,
      shared: true,
      change: at(`/application/${name}`, () => content),
    }),
  ),
  {
    method: "POST",
    path: "/api/v1/application/documents",
    permission: "application:write",
    peopleOnly: true,
    shared: true,
    change: at("/application/documents?kind=identity&file_name=identity.pdf", () => pdf),
  },
  {
    method: "DELETE",
    path: "/api/v1/application/documents/{id}",
    permission: "application:write",
    peopleOnly: true,
    shared: true,
    change: (send) => send("DELETE", `/application/documents/${newId("doc", shop.clock.now())}`),
    otherwise: "resource_missing",
  },
  {
    method: "POST",
    path: "/api/v1/application/submit",
    permission: "application:write",
    peopleOnly: true,
    shared: true,
    change: at("/application/submit", () => ({})),
    otherwise: "application_incomplete",
  },
];

/** Paths of objects that belong to one mode. The isolation test covers access from the other mode. */
const byId =
  /^\/api\/v1\/(api_keys|webhook_endpoints|rules|list_entries|saved_views|webhook_deliveries)\/\{id\}/;
/** Paths of payments and related objects, which belong to one mode. */
const payments =
  /^\/api\/v1\/(charges|refunds|checkout_sessions|customers|payment_methods|decisions|rule_trials|disputes|dispute_files|payouts|reconciliations|receipts|test_helpers)(\/|$)/;

test("every operation that changes something belongs to one mode or is in the table of shared settings", () => {
  const known = new Set(settings.map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of shop.app.routes) {
    if (method === "GET") continue;
    const documented = `/api/v1${path.replace(/:(\w+)/g, "{$1}")}`;
    const isKnown =
      known.has(`${method} ${documented}`) || byId.test(documented) || payments.test(documented);
    assert.ok(isKnown, `Add ${method} ${documented} to the table of settings`);
  }
});

/** Adds a new person to the team and returns the member's ID. No other test uses this member. */
async function addMember({ account }: Team): Promise<string> {
  const now = shop.clock.now();
  const [person, member] = [newId("per", now), newId("mem", now)];
  await database.transaction(async (tx) => {
    await tx`insert into people (id, email, name, password_hash) values (${uuidOf(person)}, ${`${unique()}@example.com`}, 'One', '')`;
    await tx`insert into members (account_id, id, person_id, role) values (${uuidOf(account)}, ${uuidOf(member)}, ${uuidOf(person)}, 'analyst')`;
  });
  return member;
}

async function rejoin(account: AccountId, owner: TestPerson): Promise<void> {
  const people = await database.read<{ id: string }>`
    select p.id from people p
     where p.id <> ${uuidOf(owner.id)} and p.email like 'person%'
       and not exists (select from members m where m.person_id = p.id)`;
  for (const { id } of people) {
    await database.transaction(
      (tx) => tx`insert into members (account_id, id, person_id, role)
        values (${uuidOf(account)}, ${uuidOf(newId("mem", shop.clock.now()))}, ${id}, 'owner')`,
    );
  }
}

type Digests = Record<"test" | "live" | "shared", string>;

/** Returns a digest of the account's rows in each mode, and a digest of the rows that both modes share. */
async function digestOf(account: AccountId): Promise<Digests> {
  const id = `'${uuidOf(account)}'`;
  const parts = tables.map(({ name, by_mode: byMode }) => {
    const mode = byMode ? "case when t.livemode then 'live' else 'test' end" : "'shared'";
    return `select '${name}' as name, ${mode} as mode, (to_jsonb(t) - 'last_used_at')::text as row
              from ${name} t where account_id = ${id}`;
  });
  // Reads all tables in one statement, because the tests take several hundred digests.
  const text = `select mode, md5(string_agg(name || row, ',' order by name, row)) as digest
    from (${parts.join(" union all ")}
          union all select 'accounts', 'shared', a::text from accounts a where id = ${id}) rows
   group by mode`;
  const rows = await database.read<{ mode: keyof Digests; digest: string }>(
    Object.assign([text], { raw: [text] }) as unknown as TemplateStringsArray,
  );
  const digests: Digests = { test: "", live: "", shared: "" };
  for (const { mode, digest } of rows) digests[mode] = digest;
  return digests;
}

async function restrictedKey(account: AccountId, livemode: boolean, permissions: Permission[]) {
  const scope = { account, livemode };
  const { key, secret, hash } = await newApiKey(
    { clock: shop.clock, hashKey: shop.app.hashKey },
    { scope, name: "Restricted", permissions, createdBy: null },
  );
  await database.transaction((tx) => insertApiKey(tx, key, hash));
  return secret;
}

function mediaTypeOf(path: string, body: unknown): Record<string, string> {
  if (!Buffer.isBuffer(body)) return {};
  return { "content-type": path === "/account/logo" ? "image/png" : "application/pdf" };
}

async function credentialsOf(account: AccountId, testKey: SecretKey, approved: boolean) {
  const withoutSecondFactor = await createPerson(shop, { account });
  const withSecondFactor = await createPerson(shop, { account, secondFactor: true });
  const keys: Credential[] = [];
  for (const livemode of approved ? [false, true] : [false]) {
    const secret = livemode ? (await shop.issueKey(account, true)).secret : testKey;
    const settingsPermissions: Permission[] = ["account:write", "payments:write"];
    for (const [name, key, permissions] of [
      ["secret key", secret, null],
      [
        "key restricted to settings",
        await restrictedKey(account, livemode, settingsPermissions),
        settingsPermissions,
      ],
      [
        "key restricted to events",
        await restrictedKey(account, livemode, ["events:read"]),
        ["events:read" as const],
      ],
    ] as const) {
      const send: Send = (method, path, body) =>
        shop.send(method, `/api/v1${path}`, {
          ...(body !== undefined && { body }),
          headers: { authorization: `Bearer ${key}`, ...mediaTypeOf(path, body) },
        });
      const mode = livemode ? "live" : "test";
      keys.push({
        name: `${mode} ${name}`,
        livemode,
        kind: "key",
        permissions,
        secondFactor: false,
        send,
      });
    }
  }
  const people = [false, true].flatMap((livemode) =>
    (
      [
        [withoutSecondFactor, false],
        [withSecondFactor, true],
      ] as const
    ).map(
      ([person, secondFactor]): Credential => ({
        name: `person ${secondFactor ? "with" : "without"} a second factor in ${livemode ? "live" : "test"} mode`,
        livemode,
        kind: "person",
        permissions: null,
        secondFactor,
        send: (method, path, body) =>
          person.api(method, path, body, livemode, mediaTypeOf(path, body)),
      }),
    ),
  );
  return [...keys, ...people];
}

/**
 * Returns the error code with which the service rejects a change of the setting by this credential, or null if it
 * allows the change.
 */
function rejectionOf(setting: Setting, by: Credential, approved: boolean): string | null {
  if (by.kind === "person" && by.livemode && !by.secondFactor) return "second_factor_required";
  if (by.kind === "key") {
    if (setting.peopleOnly) return "permission_denied";
    if (by.permissions && !by.permissions.includes(setting.permission)) return "permission_denied";
  }
  if (setting.shared && approved && !by.livemode) return "live_mode_required";
  if (setting.path === "/api/v1/api_keys" && by.livemode && !approved)
    return "account_not_approved";
  return null;
}

for (const approved of [false, true]) {
  test(`${approved ? "after" : "before"} approval, no credential of one mode changes the other, and shared settings require ${approved ? "a live credential" : "a person"}`, async () => {
    const { account, key } = await shop.createMerchant({
      status: approved ? "approved" : "test_only",
    });
    const team: Team = {
      account,
      owner: await createPerson(shop, { account, secondFactor: true }),
    };
    for (const by of await credentialsOf(account, key, approved)) {
      for (const setting of settings) {
        const what = `${by.name}: ${setting.method} ${setting.path}`;
        let before: Digests | undefined;
        const reply = await setting.change(async (method, path, body) => {
          before = await digestOf(account);
          return by.send(method, path, body);
        }, team);
        const after = await digestOf(account);
        assert(before, `${what} sent no request`);
        const code: string | undefined = reply.body.error?.code;
        const rejection = rejectionOf(setting, by, approved);
        if (rejection) {
          assert.equal(code, rejection, what);
          assert.deepEqual(after, before, `${what} changed something`);
          continue;
        }
        if (!setting.otherwise) assert.ok(reply.status < 300, `${what}: ${reply.text}`);
        else if (!(setting.liveOnly && !by.livemode)) assert.equal(code, setting.otherwise, what);
        const other = by.livemode ? "test" : "live";
        if (setting.shared) continue;
        assert.equal(after[other], before[other], `${what} changed ${other} mode`);
        assert.equal(after.shared, before.shared, `${what} changed a shared setting`);
      }
    }
  });
}
