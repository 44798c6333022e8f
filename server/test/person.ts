import type { Role } from "@florin/contract/roles.ts";
import { type AccountId, newId, type PersonId } from "../src/core/ids.ts";
import { insertMember } from "../src/identity/accounts/member.sql.ts";
import { createSession } from "../src/identity/people/create-session.ts";
import { createPasswords } from "../src/identity/people/password.ts";
import { insertPerson } from "../src/identity/people/person.sql.ts";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/** A person with a signed-in browser. */
export type TestPerson = {
  readonly id: PersonId;
  readonly email: string;
  readonly password: string;
  /** Returns the browser's cookie header, which the server's responses can change. */
  cookie(): string;
  /** Sends a same-origin request to a route that is not scoped to an account, such as `/auth/v1/me`. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Sends a request to an API route that is scoped to an account and mode, such as `/charges`. */
  api(
    method: string,
    path: string,
    body?: unknown,
    livemode?: boolean,
    headers?: Record<string, string>,
  ): Promise<Reply>;
};

export type PersonOptions = {
  /** The team's account. Defaults to the merchant's. */
  readonly account?: AccountId;
  readonly role?: Role;
  readonly secondFactor?: boolean;
  readonly operator?: boolean;
  readonly password?: string;
};

const passwords = createPasswords();
/** The hash of each password, which is computed once. A hash takes as long as several payments. */
const hashes = new Map<string, Promise<string>>();
let count = 0;

function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? passwords.hash(password, "known");
  hashes.set(password, known);
  return known;
}

/** Creates a person in a merchant's team, with a session that starts now. */
export async function createPerson(shop: Shop, options: PersonOptions = {}): Promise<TestPerson> {
  const { database } = shop.app;
  const account = options.account ?? shop.merchant.account;
  const now = shop.clock.now();
  const id = newId("per", now);
  count += 1;
  const email = `person${count}@example.com`;
  const password = options.password ?? "long enough for a test";
  const passwordHash = await hashOf(password);
  const setCookie = await database.transaction(async (tx) => {
    const operator = options.operator ?? false;
    await insertPerson(tx, { id, email, name: `Person ${count}`, passwordHash, operator });
    const role = options.role ?? "owner";
    await insertMember(tx, { id: newId("mem", now), account, person: id, role });
    const browser = { ip: "127.0.0.1", userAgent: "A test" };
    const secondFactor = options.secondFactor ?? false;
    return createSession(tx, { person: id, secondFactor, browser, now });
  });
  let cookie = pairOf(setCookie);

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const sent = { cookie, "sec-fetch-site": "same-origin", ...headers };
    const reply = await shop.send(method, path, {
      ...(body !== undefined && { body }),
      headers: sent,
    });
    const changed = reply.headers.get("set-cookie");
    if (changed) cookie = pairOf(changed);
    return reply;
  }

  return {
    id,
    email,
    password,
    cookie: () => cookie,
    send,
    api: (method, path, body, livemode = false, headers = {}) =>
      send(method, `/api/v1${path}`, body, {
        "florin-account": account,
        "florin-mode": livemode ? "live" : "test",
        ...headers,
      }),
  };
}

function pairOf(setCookie: string): string {
  return setCookie.split(";", 1)[0] as string;
}
