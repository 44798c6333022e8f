import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../core/ids.ts";
import { emptyProfile } from "../../identity/accounts/account-profile.ts";
import type { Notification } from "./notification.ts";
import { notificationEmail } from "./notification-email.ts";

test("the email about a dispute has the deadline in the account's time zone", () => {
  const now = new Date("2026-11-30T12:00Z");
  const dispute: Notification = {
    id: newId("tn", now),
    account: newId("acct", now),
    livemode: true,
    type: "dispute.opened",
    objectId: newId("dp", now),
    details: { amount: 4_200, currency: "usd", dueBy: Date.parse("2026-12-14T02:00Z") / 1000 },
  };
  for (const [timeZone, deadline] of [
    ["America/Los_Angeles", "December 13, 2026 at 6:00 PM PST"],
    [null, "December 14, 2026 at 2:00 AM UTC"],
  ] as const) {
    const account = { name: "Fieldware", profile: { ...emptyProfile, timeZone } };
    const email = notificationEmail(dispute, account, "https://pay.example.com/dashboard");
    assert(email);
    assert.ok(email.text.includes(`Respond with evidence by ${deadline}, or`), email.text);
  }
});
