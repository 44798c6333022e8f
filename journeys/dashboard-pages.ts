import type { Page } from "playwright-core";
import type { MerchantObjects } from "./fill-merchant.ts";

/** A page of the dashboard and its URL. `dashboard-pages.browser.test.ts` fails if a page is missing here. */
export type DashboardPage = {
  /** The path in `dashboard/src/routes.tsx`. */
  readonly route: string;
  /** The path below `/dashboard`. After a leading dot, the path is below the account and mode. */
  readonly at: (filled: MerchantObjects) => string;
  /** Performs an action on the page, to reach the state to check. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The name of the state, if the same page is listed in several states. */
  readonly look?: string;
  /** The person who opens the page. Default: the owner of the demo's merchant. */
  readonly as?: "visitor" | "operator";
};

export const dashboardPages: readonly DashboardPage[] = [
  { route: "sign-in", at: () => "/sign-in", as: "visitor" },
  { route: "sign-up", at: () => "/sign-up", as: "visitor" },
  { route: "reset", at: () => "/reset", as: "visitor" },
  { route: "inbox", at: ({ inbox }) => inbox, as: "visitor" },
  { route: "operator/set-up", at: ({ setUp }) => setUp, as: "visitor" },
  { route: "invitation", at: () => "/invitation", as: "visitor" },
  { route: "settings/security", at: () => "/settings/security" },
  { route: "$account/$mode", at: () => "./?range=1" },
  {
    route: "start",
    at: () => "./start",
    async act(page) {
      await page.getByRole("button", { name: "Open playground" }).click();
      await page.frameLocator("iframe").locator("#number").waitFor();
    },
  },
  { route: "api-keys", at: () => "./api-keys" },
  {
    route: "api-keys",
    look: "restricted",
    at: () => "./api-keys",
    async act(page) {
      await page.getByRole("button", { name: "Create key" }).first().click();
      await page.getByLabel("Restrict permissions").check();
    },
  },
  { route: "team", at: () => "./team" },
  {
    route: "team",
    look: "invite",
    at: () => "./team",
    act: (page) => page.getByRole("button", { name: "Invite member" }).click(),
  },
  { route: "copy-settings", at: () => "./copy-settings" },
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
  { route: "refunds", at: () => "./refunds" },
  { route: "refunds/$id", at: ({ refund }) => `./refunds/${refund}` },
  { route: "disputes", at: () => "./disputes" },
  {
    route: "disputes/$id",
    at: ({ dispute }) => `./disputes/${dispute}`,
    act: (page) => page.getByText("More evidence").click(),
  },
  { route: "customers", at: () => "./customers" },
  {
    route: "customers",
    look: "new",
    at: () => "./customers",
    act: (page) => page.getByRole("button", { name: "Create customer" }).click(),
  },
  { route: "customers/$id", at: ({ customer }) => `./customers/${customer}` },
  { route: "webhooks", at: () => "./webhooks" },
  {
    route: "webhooks",
    look: "add",
    at: () => "./webhooks",
    async act(page) {
      await page.getByRole("button", { name: "Add endpoint" }).first().click();
      await page.getByLabel("All events").uncheck();
    },
  },
  { route: "webhooks/$id", at: ({ endpoint }) => `./webhooks/${endpoint}` },
  {
    route: "webhooks/$id",
    look: "roll",
    at: ({ endpoint }) => `./webhooks/${endpoint}`,
    act: (page) => page.getByRole("button", { name: "Roll secret" }).click(),
  },
  {
    route: "webhooks/$id",
    look: "resend missed",
    at: ({ endpoint }) => `./webhooks/${endpoint}`,
    act: (page) => page.getByRole("button", { name: "Resend missed deliveries" }).click(),
  },
  { route: "webhook-deliveries/$id", at: ({ delivery }) => `./webhook-deliveries/${delivery}` },
  { route: "going-live", at: () => "./going-live" },

  { route: "/", look: "operator", at: () => "/operator", as: "operator" },
  {
    route: "applications/$merchant",
    at: ({ account }) => `/operator/applications/${account}`,
    as: "operator",
  },
  { route: "accounts", at: () => "/operator/accounts", as: "operator" },
  {
    route: "accounts/$merchant",
    at: ({ account }) => `/operator/accounts/${account}`,
    as: "operator",
  },
  { route: "figures", at: () => "/operator/figures", as: "operator" },
  { route: "health", at: () => "/operator/health", as: "operator" },
  { route: "processors", at: () => "/operator/processors", as: "operator" },
  {
    route: "connections",
    look: "create",
    at: () => "/operator/connections",
    as: "operator",
    act: (page) => page.getByRole("button", { name: "Create connection" }).click(),
  },
  {
    route: "connections/$connection",
    at: () => "/operator/connections",
    as: "operator",
    act: createConnection,
  },
  {
    route: "connections/$connection",
    look: "assign",
    at: () => "/operator/connections",
    as: "operator",
    async act(page) {
      await page.locator("a[data-row]").first().click();
      await page.getByRole("button", { name: "Assign account" }).click();
    },
  },
  {
    route: "connections/$connection",
    look: "change",
    at: () => "/operator/connections",
    as: "operator",
    async act(page) {
      await page.locator("a[data-row]").first().click();
      await page.getByRole("button", { name: "Change connection" }).click();
      await page.getByLabel("Requests per second (optional)").fill("20");
      await page.getByLabel("Reason").fill("Agreed with Adyen.");
      await page.getByRole("button", { name: "Change", exact: true }).click();
      await page.getByText("20 requests per second").waitFor();
      await page.getByRole("button", { name: "Store secrets" }).click();
      await page.getByLabel("API key").fill("an-api-key");
      await page.getByLabel("HMAC key").fill("AB".repeat(32));
      await page.getByLabel("Reason").fill("First secrets.");
      await page.getByRole("button", { name: "Store", exact: true }).click();
      await page.getByRole("button", { name: "Replace secrets" }).waitFor();
    },
  },
  { route: "operators", at: () => "/operator/operators", as: "operator" },
  { route: "proposals", at: () => "/operator/proposals", as: "operator" },
  { route: "audit", at: () => "/operator/audit", as: "operator" },
  {
    route: "audit",
    look: "entry",
    at: () => "/operator/audit",
    act: (page) => page.getByRole("button", { name: "Added a second factor" }).first().click(),
    as: "operator",
  },
  { route: "balance", at: () => "./balance" },
  {
    route: "balance",
    look: "pay out",
    at: () => "./balance",
    act: (page) => page.getByRole("button", { name: "Pay out" }).click(),
  },
  { route: "payouts", at: () => "./payouts" },
  { route: "payouts/$id", at: ({ payout }) => `./payouts/${payout}` },
  { route: "reconciliations", at: () => "./reconciliations" },
  {
    route: "reconciliations/$id",
    at: ({ reconciliation }) => `./reconciliations/${reconciliation}`,
  },
  { route: "reviews", at: () => "./reviews" },
  {
    route: "reviews",
    look: "decline by key",
    at: () => "./reviews",
    async act(page) {
      await page.getByRole("button", { name: "Approve" }).first().focus();
      await page.keyboard.press("d");
    },
  },
  { route: "rules", at: () => "./rules" },
  {
    route: "rules",
    look: "tried",
    at: () => "./rules",
    async act(page) {
      await page.getByRole("button", { name: "Create rule" }).click();
      await page.getByLabel("Condition").fill("amount > 9000");
      await page.getByRole("button", { name: "Test on past payments" }).click();
      await page.getByText(/^Matches \d/).waitFor();
    },
  },
  { route: "lists", at: () => "./lists" },
  {
    route: "lists",
    look: "add",
    at: () => "./lists",
    act: (page) => page.getByRole("button", { name: "Add entry" }).click(),
  },
];

/** Creates a connection to an acquirer and opens its page. */
async function createConnection(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Create connection" }).click();
  await page.getByLabel("Name").fill("Adyen Europe");
  await page.getByLabel("Merchant account").fill("FieldwareECOM");
  await page.getByLabel("Prefix of the live URL").fill("1797a841fbb37ca7-Fieldware");
  await page.getByLabel("Reason").fill("For merchants in Europe.");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator("a[data-row]").first().click();
  await page.getByRole("heading", { name: "Setup" }).waitFor();
}
