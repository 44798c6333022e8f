import assert from "node:assert/strict";
import { test } from "node:test";
import { readChallengeFragment, withReturnFragment } from "./challenge-url.ts";

const challenge = "https://pay.example/challenge/acct_1/test/ch_1?locale=de#secret_a-b";

test("the return URL to the card form survives the challenge unchanged, with the appearance of the page", () => {
  const fragment = "#secret_c-d&theme=night&accent=%23123456";
  const { hash, searchParams } = new URL(withReturnFragment(challenge, fragment));
  assert.deepEqual(readChallengeFragment(hash), {
    secret: "secret_a-b",
    session: fragment.slice(1),
  });
  assert.deepEqual([...searchParams], [["locale", "de"]], "the fragment is not sent to the server");
});

test("a challenge without a card form has no return URL", () => {
  const { hash } = new URL(challenge);
  assert.deepEqual(readChallengeFragment(hash), { secret: "secret_a-b", session: null });
  assert.deepEqual(readChallengeFragment(""), { secret: "", session: null });
});
