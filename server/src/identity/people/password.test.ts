import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { createPasswords } from "./password.ts";

const passwords = createPasswords();

test("a password matches only its own hash", async () => {
  const hash = await passwords.hash("seven quiet lighthouses", "known");
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await passwords.matches("seven quiet lighthouses", hash, "known"), true);
  assert.equal(await passwords.matches("seven quiet lighthouse", hash, "known"), false);
  assert.notEqual(await passwords.hash("seven quiet lighthouses", "known"), hash);
});

test("a hash that the reference implementation created is verified", async () => {
  // Created by the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32 -e
  const known =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await passwords.matches("password", known, "known"), true);
});

test("a password matches regardless of its Unicode composition", async () => {
  const hash = await passwords.hash("grüße aus zürich".normalize("NFC"), "known");
  assert.equal(await passwords.matches("grüße aus zürich".normalize("NFD"), hash, "known"), true);
});

test("verification takes the same time for an unknown person", async () => {
  const hash = await passwords.hash("seven quiet lighthouses", "known");
  // The minimum of several runs, which excludes the delays of a busy machine.
  const time = async (known: string | null) => {
    const times: number[] = [];
    for (let round = 0; round < 6; round++) {
      const start = performance.now();
      assert.equal(await passwords.matches("another one", known, "known"), false);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  const [registered, unregistered] = [await time(hash), await time(null)];
  assert.ok(unregistered > registered / 3, `${unregistered} ms instead of ${registered} ms`);
});

test("attempts get a 503 while the queue is full, and all queued attempts are processed", async () => {
  const checks = Array.from({ length: 80 }, () => passwords.matches("any", null, "known"));
  const responses = await Promise.allSettled(checks);
  const turnedAway = responses.filter(
    ({ status, ...rest }) =>
      status === "rejected" &&
      "reason" in rest &&
      rest.reason instanceof ApiError &&
      rest.reason.code === "service_overloaded",
  );
  assert.equal(turnedAway.length, 80 - 1 - 64);
  assert.equal(responses.filter(({ status }) => status === "fulfilled").length, 65);
  assert.equal(await passwords.matches("any", null, "known"), false);
});

test("a known client is not rejected while unknown clients fill their queue", async () => {
  const unknownClients = Promise.allSettled(
    Array.from({ length: 80 }, (_, count) =>
      count % 2 === 0
        ? passwords.matches("any", null, "unknown")
        : passwords.hash("any", "unknown"),
    ),
  );
  assert.equal(await passwords.matches("any", null, "known"), false);
  assert.ok((await unknownClients).some(({ status }) => status === "rejected"));
});
