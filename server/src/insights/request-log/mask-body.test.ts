import assert from "node:assert/strict";
import { test } from "node:test";
import { maskBody, maxBodyLength } from "./mask-body.ts";

test("card numbers and secrets are masked everywhere in a body", () => {
  const bodies = [
    '{"description":"card 4242 4242 4242 4242"}',
    '{"card":{"number":"4242424242424242","cvc":"123"}}',
    '{"number": 4000056655665556, "cvc": 737}',
    '{"cvc2":737}',
    '{"card":{"cvv2" : " 737 "}}',
    '{"metadata":{"card":"{\\"cvv\\":\\"737\\"}","other":"{\\\\\\"security_code\\\\\\": 737}"}}',
    '{"password":"correct \\"horse\\" battery"}',
    `{"secret":"sk_test_${"a".repeat(38)}"}`,
    `{"note":"rk_live_${"a".repeat(38)}"}`,
    '{"secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}',
    `{"embed_url":"http://x/embed/cs_1#secret_${"b".repeat(43)}"}`,
    // Escaped spellings that JSON allows.
    '{"description":"\\u0034242\\u00204242\\u002d4242 4242","c\\u0076c":"\\u0031\\u0032\\u0033"}',
    // A body that is cut in the middle of the value. The part before the cut is masked.
    '{"password":"correct horse',
  ];
  for (const body of bodies) {
    assert.doesNotMatch(maskBody(body), /4242 ?4242|5665|737|123|horse|aaaa|MfKQ|bbbb/, body);
  }
});

test("card numbers and secrets are masked after many masked values before the cut", () => {
  const cards = '"4242424242424242",'.repeat(230);
  for (let shift = 0; shift < 40; shift++) {
    assert.doesNotMatch(maskBody(`[${"x".repeat(shift)}${cards}0]`), /4242/, `${shift}`);
  }
});

test("other content is stored unchanged", () => {
  const body = '{"amount":1999,"currency":"usd","payment_method_id":"pm_card_visa"}';
  assert.equal(maskBody(body), body);
});

test("a long body is truncated without leaving part of a card number", () => {
  const before = `{"description":"${"x".repeat(maxBodyLength - 24)}`;
  for (let shift = 0; shift < 24; shift++) {
    const stored = maskBody(
      `${before}${"y".repeat(shift)} 4242424242424242 "}${"z".repeat(9_000)}`,
    );
    assert.ok(stored.length <= maxBodyLength + 1);
    assert.doesNotMatch(stored, /4242/);
  }
});
