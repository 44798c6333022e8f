import assert from "node:assert/strict";
import { test } from "node:test";
import { readChallengeFragment, withWayBack } from "./challenge-address.ts";

const challenge = "https://pay.example/challenge/acct_1/test/ch_1?locale=de#secret_a-b";

test("the way back to the card form survives the challenge whole, with the looks that its page chose", () => {
  const fragment = "#secret_c-d&theme=night&accent=%23123456";
  const { hash, searchParams } = new URL(withWayBack(challenge, fragment));
  assert.deepEqual(readChallengeFragment(hash), {
    secret: "secret_a-b",
    session: fragment.slice(1),
  });
  assert.deepEqual([...searchParams], [["locale", "de"]], "and is not sent to a server");
});

test("a challenge that no card form led to has no way back to one", () => {
  const { hash } = new URL(challenge);
  assert.deepEqual(readChallengeFragment(hash), { secret: "secret_a-b", session: null });
  assert.deepEqual(readChallengeFragment(""), { secret: "", session: null });
});
