import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../core/api-error.ts";
import { rejectWeakPassword } from "./password-rules.ts";

const grace = { email: "grace.hopper@example.com", name: "Grace Hopper" };

async function complaintAbout(password: string): Promise<string | null> {
  try {
    await rejectWeakPassword(password, grace);
    return null;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.details.param], ["password_unsuitable", "password"]);
    return error.message;
  }
}

for (const [password, lack] of [
  ["abc1", "8 more characters"],
  ["elevenchar1", "1 more character"],
  ["correct horse battery", "a digit"],
  ["2718281828459045", "a letter"],
  ["!!!", "9 more characters, a letter and a digit"],
] as const) {
  test(`a password such as ${password} is rejected, and the message names the missing ${lack}`, async () => {
    assert.equal(
      await complaintAbout(password),
      `Passwords must have at least 12 characters, with letters and digits. Add ${lack}.`,
    );
  });
}

for (const password of [
  "1qaz2wsx3edc",
  "1QAZ2wsx3edc!",
  "chickenwing101",
  "Michael123456",
  "Liverpool2024!",
  "$unsh1ne20262026",
  "123456789manchester",
  "jordan23jordan23",
  "Justin-Bieber-1",
  "Passw0rd!Passw0rd!",
  "qwertyuiop123",
  "aaaaaaaaaaa1",
]) {
  test(`a common password such as ${password} is rejected`, async () => {
    assert.match((await complaintAbout(password)) ?? "", /easy to guess/);
  });
}

for (const password of ["Grace Hopper 1906", "grace.hopper@example.com1"]) {
  test(`a password based on the person's name or address, such as ${password}, is rejected`, async () => {
    assert.match((await complaintAbout(password)) ?? "", /your name or your email address/);
  });
}

for (const password of [
  "seven quiet lighthouses 7",
  "correct horse battery staple 1",
  "dragon sunshine harbour 42",
  "9sT!kz0-Pq4_vX",
  "zwölf Boxkämpfer 12",
  "Ωμέγα και άλφα ٣",
]) {
  test(`a password such as ${password} is accepted`, async () => {
    assert.equal(await complaintAbout(password), null);
  });
}
