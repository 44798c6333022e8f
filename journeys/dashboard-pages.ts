import type { Page } from "playwright-core";
import type { Filled } from "./filled-merchant.ts";

/** A page of the dashboard, and how to come to it. `dashboard-pages.journey.ts` holds that none is missing. */
export type DashboardPage = {
  /** As it stands in `dashboard/src/routes.tsx`. */
  readonly route: string;
  /** Below `/dashboard`; below the account and the mode where it begins with a dot. */
  readonly at: (filled: Filled) => string;
  /** Where there is something to see only after something was done. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** Told from other looks at the same page. */
  readonly look?: string;
  /** For whom nobody is signed in. */
  readonly signedOut?: true;
};

export const dashboardPages: readonly DashboardPage[] = [
  { route: "sign-in", at: () => "/sign-in", signedOut: true },
  { route: "sign-up", at: () => "/sign-up", signedOut: true },
  { route: "reset", at: () => "/reset", signedOut: true },
  { route: "outbox", at: () => "/outbox", signedOut: true },
  { route: "operator/set-up", at: ({ setUp }) => setUp, signedOut: true },
  { route: "settings/security", at: () => "/settings/security" },
  { route: "$account/$mode", at: () => "./?range=1" },
  {
    route: "start",
    at: () => "./start",
    async act(page) {
      await page.getByRole("button", { name: "Open the playground" }).click();
      await page.frameLocator("iframe").locator("#number").waitFor();
    },
  },
  { route: "api-keys", at: () => "./api-keys" },
  {
    route: "api-keys",
    look: "restricted",
    at: () => "./api-keys",
    async act(page) {
      await page.getByRole("button", { name: "Create a key" }).first().click();
      await page.getByLabel("Restrict what it may do").check();
    },
  },
  { route: "team", at: () => "./team" },
  {
    route: "team",
    look: "invite",
    at: () => "./team",
    act: (page) => page.getByRole("button", { name: "Invite somebody" }).click(),
  },
  { route: "audit-log", at: () => "./audit-log" },
  { route: "requests", at: () => "./requests" },
  { route: "requests", look: "errors", at: () => "./requests?tab=errors" },
  {
    route: "requests/$id",
    at: () => "./requests?status=failed",
    act: (page) => page.locator("a[data-row]").first().click(),
  },
  { route: "events", at: () => "./events" },
  {
    route: "events/$id",
    at: () => "./events",
    act: (page) => page.locator("a[data-row]").first().click(),
  },
  { route: "payments", at: () => "./payments" },
  {
    route: "payments",
    look: "none fits",
    at: () => "./payments?status=failed&last4=0000",
  },
  {
    route: "payments",
    look: "filter",
    at: () => "./payments",
    act: (page) => page.getByRole("button", { name: "Status" }).click(),
  },
  { route: "payments/$id", look: "refunded", at: ({ refunded }) => `./payments/${refunded}` },
  { route: "payments/$id", look: "declined", at: ({ declined }) => `./payments/${declined}` },
  {
    route: "payments/$id",
    look: "capture",
    at: ({ held }) => `./payments/${held}`,
    act: (page) => page.getByRole("button", { name: "Capture" }).click(),
  },
];
