import type { Role } from "@florin/contract/roles.ts";
import { insertMember } from "../src/accounts/member.sql.ts";
import { openSession } from "../src/people/open-session.ts";
import { openPasswords } from "../src/people/password.ts";
import { insertPerson } from "../src/people/person.sql.ts";
import { type AccountId, newId, type PersonId } from "../src/primitives/ids.ts";
import type { Reply } from "./client.ts";
import type { Shop } from "./shop.ts";

/** Somebody with a browser in which they are signed in. */
export type TestPerson = {
  readonly id: PersonId;
  readonly email: string;
  readonly password: string;
  /** The browser's cookie, as it is sent. It changes when the server says so. */
  cookie(): string;
  /** Through any door, from our own pages: `/auth/v1/me`. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Through the API's gate, for an account and mode: `/charges`. */
  api(
    method: string,
    path: string,
    body?: unknown,
    livemode?: boolean,
    headers?: Record<string, string>,
  ): Promise<Reply>;
};

export type PersonFacts = {
  /** Whose team they are in; the merchant's, if not said. */
  readonly account?: AccountId;
  readonly role?: Role;
  readonly secondFactor?: boolean;
  readonly operator?: boolean;
};

const passwords = openPasswords();
let count = 0;

/** A person of a merchant's team, signed in this very moment. */
export async function openPerson(shop: Shop, facts: PersonFacts = {}): Promise<TestPerson> {
  const { database } = shop.app;
  const account = facts.account ?? shop.merchant.account;
  const now = shop.clock.now();
  const id = newId("per", now);
  count += 1;
  const email = `person${count}@example.com`;
  const password = `long enough for ${count}`;
  const passwordHash = await passwords.hash(password);
  const setCookie = await database.transaction(async (tx) => {
    const operator = facts.operator ?? false;
    await insertPerson(tx, { id, email, name: `Person ${count}`, passwordHash, operator });
    const role = facts.role ?? "owner";
    await insertMember(tx, { id: newId("mem", now), account, person: id, role });
    const browser = { ip: "127.0.0.1", userAgent: "A test" };
    const secondFactor = facts.secondFactor ?? false;
    return openSession(tx, { person: id, secondFactor, browser, now });
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
