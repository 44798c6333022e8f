import assert from "node:assert/strict";
import { test } from "node:test";
import { hashRecipient } from "./hash-recipient.ts";

test("spellings of an address that differ in case or in the form of the domain have the same hash", () => {
  const hash = hashRecipient("ada@example.com");
  for (const spelling of [
    "Ada@Example.COM",
    "ada@\uff45xample.com",
    "ada@ex\u{1d41a}mple.com",
    "ada@exam\ufe0fple.com",
  ]) {
    assert.equal(hashRecipient(spelling), hash, spelling);
  }
  for (const other of ["ada@example.org", "bob@example.com", "\uff41da@example.com"]) {
    assert.notEqual(hashRecipient(other), hash, other);
  }
  assert.equal(
    hashRecipient("ada@b\u00fccher.example"),
    hashRecipient("ada@xn--bcher-kva.example"),
  );
});
