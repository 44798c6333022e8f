import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "@florin/contract/roles.ts";
import { openDashboard, owner } from "../../../test/app.ts";

const mount = await openDashboard();

const account = {
  id: "acct_1",
  object: "account",
  name: "Shop acct_1",
  support_email: null,
  support_phone: null,
  statement_descriptor: null,
  time_zone: null,
  brand_color: null,
  background_color: null,
  logo_path: null,
  email_receipts: false,
};

/** Opens the settings as a member with this role. */
async function openSettings(role: Role) {
  const memberships = owner.memberships.map((membership) => ({ ...membership, role }));
  const me = { ...owner, session: { ...owner.session, second_factor: true }, memberships };
  const mounted = await mount("/dashboard/acct_1/live/settings", ({ path }) => {
    if (path === "/auth/v1/me") return { body: me };
    return path === "/api/v1/account" ? { body: account } : undefined;
  });
  await mounted.page.getByRole("button", { name: "Save colors" }).waitFor();
  return mounted;
}

for (const [role, mayChange] of [
  ["developer", true],
  ["support", false],
] as const) {
  test(`the settings ${mayChange ? "can" : "cannot"} be changed with the role ${role}`, async () => {
    const { page } = await openSettings(role);
    for (const name of ["Save", "Upload logo", "Save colors"]) {
      const button = page.getByRole("button", { name, exact: true });
      assert.equal(await button.getAttribute("aria-disabled"), mayChange ? null : "true", name);
    }
    assert.equal(await page.getByLabel("Business name").isEnabled(), mayChange);
    const reason = page.getByText("Only owners, admins and developers of the account");
    assert.equal(await reason.count(), mayChange ? 0 : 1);
  });
}
