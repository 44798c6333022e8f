import assert from "node:assert/strict";
import { test } from "node:test";
import { plainDomain, plainEmail } from "./email-address.ts";

test("spellings of one mailbox have the same canonical spelling", () => {
  for (const spelling of [
    "jos\u00e9@example.com",
    "JOS\u00c9@Example.COM",
    "jose\u0301@example.com",
    "jos\u00e9@\uff45xample.com",
    "jos\u00e9@ex\u{1d41a}mple.com",
    "jos\u00e9@exam\ufe0fple.com",
  ]) {
    assert.equal(plainEmail(spelling), "jos\u00e9@example.com", spelling);
  }
  assert.equal(plainEmail("Ada+1@Sub_1.Example.COM"), "ada+1@sub_1.example.com");
  assert.notEqual(plainEmail("\uff41da@example.com"), "ada@example.com");
});

test("a domain in Punycode is converted to Unicode, and one that is not valid stays in lower case", () => {
  assert.equal(plainDomain("XN--BCHER-KVA.example"), "b\u00fccher.example");
  assert.equal(plainDomain("bu\u0308cher.example"), "b\u00fccher.example");
  assert.equal(plainDomain("xn--a.Example"), "xn--a.example");
});
