import { evidencePdf } from "@florin/server/test/evidence-file.ts";
import type { Page } from "playwright-core";
import type { MerchantObjects } from "./fill-merchant.ts";

/** A page of the dashboard and its URL. `dashboard-pages.browser.test.ts` fails if a page is missing here. */
export type DashboardPage = {
  /** The path in `dashboard/src/routes.tsx`. */
  readonly route: string;
  /** The path below `/dashboard`. A leading dot is replaced by the path of the account and mode. */
  readonly path: (filled: MerchantObjects) => string;
  /** Changes the page to the state to check. */
  readonly act?: (page: Page) => Promise<unknown>;
  /** The name of the state, if the page is listed in several states. */
  readonly state?: string;
  /** The person who opens the page. Defaults to the owner of the demo's merchant. */
  readonly openedBy?: "visitor" | "operator";
};

export const dashboardPages: readonly DashboardPage[] = [
  { route: "sign-in", path: () => "/sign-in", openedBy: "visitor" },
  { route: "sign-up", path: () => "/sign-up", openedBy: "visitor" },
  { route: "reset", path: () => "/reset", openedBy: "visitor" },
  { route: "inbox", path: ({ inbox }) => inbox, openedBy: "visitor" },
  { route: "operator/set-up", path: ({ setUp }) => setUp, openedBy: "visitor" },
  { route: "invitation", path: () => "/invitation", openedBy: "visitor" },
  { route: "settings/security", path: () => "/settings/security" },
  { route: "$account/$mode", path: () => "./?range=1" },
  {
    route: "$account/$mode",
    state: "search",
    path: () => "./",
    async act(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("4242");
      await page.getByRole("listbox").getByRole("option").first().waitFor();
    },
  },
  {
    route: "$account/$mode",
    state: "shortcuts",
    path: () => "./",
    act: (page) => page.keyboard.press("?"),
  },
  {
    route: "$account/$mode",
    state: "test clock",
    path: () => "./",
    act: (page) => page.getByRole("button", { name: "Advance clock" }).click(),
  },
  { route: "$account/$mode", state: "live", path: ({ account }) => `/${account}/live` },
  { route: "start", path: () => "./start" },
  {
    route: "start",
    state: "playground",
    path: () => "./start",
    async act(page) {
      await page.getByRole("button", { name: "Open playground" }).click();
      await page.frameLocator("iframe").locator("#number").scrollIntoViewIfNeeded();
    },
  },
  { route: "api-keys", path: () => "./api-keys" },
  {
    route: "api-keys",
    state: "restricted",
    path: () => "./api-keys",
    async act(page) {
      await page.getByRole("button", { name: "Create key" }).first().click();
      await page.getByLabel("Access").selectOption("Accept payments");
    },
  },
  {
    route: "api-keys",
    state: "created",
    path: () => "./api-keys",
    async act(page) {
      await page.getByRole("button", { name: "Create key" }).first().click();
      await page.getByLabel("Name").fill("Server");
      await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
      await page.getByText(/sk_test_\w{20,}/).waitFor();
    },
  },
  { route: "settings", path: () => "./settings" },
  { route: "notifications", path: () => "./notifications" },
  {
    route: "notifications",
    state: "bell",
    path: () => "./notifications",
    act: (page) => page.getByRole("button", { name: /^Notifications/ }).click(),
  },
  { route: "team", path: () => "./team" },
  {
    route: "team",
    state: "invite",
    path: () => "./team",
    act: (page) => page.getByRole("button", { name: "Invite member" }).click(),
  },
  { route: "copy-settings", path: () => "./copy-settings" },
  { route: "audit-log", path: () => "./audit-log" },
  { route: "requests", path: () => "./requests" },
  { route: "requests", state: "errors", path: () => "./requests?tab=errors" },
  {
    route: "requests/$id",
    path: () => "./requests?status=failed",
    act: (page) => page.locator("a[data-row]").first().click(),
  },
  { route: "events", path: () => "./events" },
  {
    route: "events/$id",
    path: () => "./events",
    act: (page) => page.locator("a[data-row]").first().click(),
  },
  { route: "payments", path: () => "./payments" },
  {
    route: "payments",
    state: "no matches",
    path: () => "./payments?status=failed&last4=0000",
  },
  {
    route: "payments",
    state: "filter",
    path: () => "./payments",
    act: (page) => page.getByRole("button", { name: "Status" }).click(),
  },
  { route: "payments/$id", state: "refunded", path: ({ refunded }) => `./payments/${refunded}` },
  { route: "payments/$id", state: "declined", path: ({ declined }) => `./payments/${declined}` },
  {
    route: "payments/$id",
    state: "capture",
    path: ({ held }) => `./payments/${held}`,
    act: (page) => page.getByRole("button", { name: "Capture" }).click(),
  },
  {
    route: "payments/$id",
    state: "refund",
    path: ({ refunded }) => `./payments/${refunded}`,
    act: (page) => page.getByRole("button", { name: "Refund", exact: true }).click(),
  },
  { route: "checkout-sessions/$id", path: ({ session }) => `./checkout-sessions/${session}` },
  { route: "decisions/$id", path: ({ decision }) => `./decisions/${decision}` },
  { route: "refunds", path: () => "./refunds" },
  { route: "refunds/$id", path: ({ refund }) => `./refunds/${refund}` },
  { route: "disputes", path: () => "./disputes" },
  {
    route: "disputes/$id",
    path: ({ dispute }) => `./disputes/${dispute}`,
    act: (page) => page.getByText("More evidence").click(),
  },
  {
    route: "disputes/$id",
    state: "review",
    path: ({ dispute }) => `./disputes/${dispute}`,
    async act(page) {
      const file = { name: "delivery.pdf", mimeType: "application/pdf", buffer: evidencePdf };
      await page.getByLabel("Add files").setInputFiles(file);
      await page.getByText("1 KB · 1 page").waitFor();
      await page.getByRole("button", { name: "Review evidence" }).click();
      await page.getByRole("heading", { name: "Review evidence" }).waitFor();
    },
  },
  { route: "customers", path: () => "./customers" },
  {
    route: "customers",
    state: "new",
    path: () => "./customers",
    act: (page) => page.getByRole("button", { name: "Create customer" }).click(),
  },
  { route: "customers/$id", path: ({ customer }) => `./customers/${customer}` },
  { route: "webhooks", path: () => "./webhooks" },
  {
    route: "webhooks",
    state: "add",
    path: () => "./webhooks",
    async act(page) {
      await page.getByRole("button", { name: "Add endpoint" }).first().click();
      await page.getByLabel("All events").uncheck();
    },
  },
  { route: "webhooks/$id", path: ({ endpoint }) => `./webhooks/${endpoint}` },
  {
    route: "webhooks/$id",
    state: "roll",
    path: ({ endpoint }) => `./webhooks/${endpoint}`,
    act: async (page) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Roll secret" }).click();
    },
  },
  {
    route: "webhooks/$id",
    state: "resend missed",
    path: ({ endpoint }) => `./webhooks/${endpoint}`,
    act: (page) => page.getByRole("button", { name: "Resend missed deliveries" }).click(),
  },
  { route: "webhook-deliveries/$id", path: ({ delivery }) => `./webhook-deliveries/${delivery}` },
  { route: "going-live", path: () => "./going-live" },

  { route: "/", state: "operator", path: () => "/operator", openedBy: "operator" },
  {
    route: "applications/$merchant",
    path: ({ account }) => `/operator/applications/${account}`,
    openedBy: "operator",
  },
  { route: "accounts", path: () => "/operator/accounts", openedBy: "operator" },
  {
    route: "accounts/$merchant",
    path: ({ account }) => `/operator/accounts/${account}`,
    openedBy: "operator",
  },
  { route: "figures", path: () => "/operator/figures", openedBy: "operator" },
  { route: "health", path: () => "/operator/health", openedBy: "operator" },
  { route: "processors", path: () => "/operator/processors", openedBy: "operator" },
  {
    route: "connections",
    state: "create",
    path: () => "/operator/connections",
    openedBy: "operator",
    act: (page) => page.getByRole("button", { name: "Create connection" }).click(),
  },
  {
    route: "connections/$connection",
    path: () => "/operator/connections",
    openedBy: "operator",
    act: createConnection,
  },
  {
    route: "connections/$connection",
    state: "assign",
    path: () => "/operator/connections",
    openedBy: "operator",
    async act(page) {
      await page.locator("a[data-row]").first().click();
      await page.getByRole("button", { name: "Assign account" }).click();
    },
  },
  {
    route: "accounts/$merchant/routing",
    path: ({ account }) => `/operator/accounts/${account}/routing`,
    openedBy: "operator",
    act: simulateRouting,
  },
  {
    route: "accounts/$merchant/wallets",
    path: ({ account }) => `/operator/accounts/${account}/wallets`,
    openedBy: "operator",
  },
  {
    route: "accounts/$merchant/wallets",
    state: "settings",
    path: ({ account }) => `/operator/accounts/${account}/wallets`,
    openedBy: "operator",
    act: (page) => page.getByRole("button", { name: "Set up Apple Pay" }).click(),
  },
  {
    route: "accounts/$merchant/wallets",
    state: "set up",
    path: ({ account }) => `/operator/accounts/${account}/wallets`,
    openedBy: "operator",
    act: setUpWallets,
  },
  {
    route: "connections/$connection",
    state: "upload a report",
    path: () => "/operator/connections",
    openedBy: "operator",
    async act(page) {
      await page.locator("a[data-row]").first().click();
      await page.getByRole("button", { name: "Upload report" }).click();
      const file = { name: "report.csv", mimeType: "text/csv", buffer: Buffer.from(report) };
      await page.getByLabel("Settlement details report").setInputFiles(file);
      await page.getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByText("1 unmatched line").waitFor();
      await page.getByRole("button", { name: "Upload report" }).click();
    },
  },
  {
    route: "connections/$connection",
    state: "change",
    path: () => "/operator/connections",
    openedBy: "operator",
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
  {
    route: "connections/$connection/notifications",
    path: () => "/operator/connections",
    openedBy: "operator",
    async act(page) {
      await page.locator("a[data-row]").first().click();
      await page.getByRole("link", { name: "Show notifications" }).click();
      await page.getByRole("heading", { name: "Notifications" }).waitFor();
    },
  },
  { route: "operators", path: () => "/operator/operators", openedBy: "operator" },
  { route: "proposals", path: () => "/operator/proposals", openedBy: "operator" },
  { route: "audit", path: () => "/operator/audit", openedBy: "operator" },
  {
    route: "audit",
    state: "entry",
    path: () => "/operator/audit",
    act: (page) =>
      page.getByRole("button", { name: "Added a passkey or authenticator app" }).first().click(),
    openedBy: "operator",
  },
  { route: "approvals", path: () => "./approvals" },
  { route: "balance", path: () => "./balance" },
  {
    route: "balance",
    state: "pay out",
    path: () => "./balance",
    act: (page) => page.getByRole("button", { name: "Pay out" }).click(),
  },
  { route: "payouts", path: () => "./payouts" },
  { route: "payouts/$id", path: ({ payout }) => `./payouts/${payout}` },
  { route: "reconciliations", path: () => "./reconciliations" },
  {
    route: "reconciliations/$id",
    path: ({ reconciliation }) => `./reconciliations/${reconciliation}`,
  },
  { route: "reviews", path: () => "./reviews" },
  {
    route: "reviews",
    state: "decline by key",
    path: () => "./reviews",
    async act(page) {
      await page.getByRole("button", { name: "Approve" }).first().focus();
      await page.keyboard.press("d");
    },
  },
  { route: "rules", path: () => "./rules" },
  {
    route: "rules",
    state: "tested on past payments",
    path: () => "./rules",
    async act(page) {
      await page.getByRole("button", { name: "Create rule" }).click();
      await page.getByLabel("Condition").fill("amount > 9000");
      await page.getByRole("button", { name: "Test on past payments" }).click();
      await page.getByText(/^Matches \d/).waitFor();
    },
  },
  { route: "lists", path: () => "./lists" },
  {
    route: "lists",
    state: "add",
    path: () => "./lists",
    act: (page) => page.getByRole("button", { name: "Add entry" }).click(),
  },
];

/** Creates a connection to an acquirer and opens its page. */
async function createConnection(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Create connection" }).click();
  await page.getByLabel("Name").fill("Adyen Europe");
  await page.getByLabel("Merchant account").fill("FieldwareECOM");
  await page.getByLabel("Live URL prefix").fill("1797a841fbb37ca7-Fieldware");
  await page.getByLabel("Reason").fill("For merchants in Europe.");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const created = page.getByRole("row").filter({ hasText: "Adyen Europe" }).first();
  await created.locator("a[data-row]").click();
  await page.getByRole("heading", { name: "Setup" }).waitFor();
}

/** A settlement report with a payment that Florin has no record of. */
const report = `Merchant Account,Psp Reference,Merchant Reference,Creation Date,Type,Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),Batch Number
FieldwareECOM,TKQNZ3LQ5S5HPF65,order-77,2026-01-31 10:00:00,Settled,X8GJK2PL9BVRTN82,EUR,,20.00,1,EUR,,19.70,0.30,,,,7
FieldwareECOM,,,2026-01-31 10:00:00,MerchantPayout,batch 7,,,,1,EUR,19.70,,,,,,7
`;

/** Assigns the account to the connection, adds a routing rule, simulates it and saves it. */
async function simulateRouting(page: Page): Promise<void> {
  const routing = page.url();
  const account = routing.split("/").at(-2) as string;
  await page.getByRole("button", { name: "Add rule" }).waitFor();
  await page.getByRole("link", { name: "Connections" }).click();
  await page.locator("a[data-row]").first().click();
  await page.getByRole("button", { name: "Assign account" }).click();
  await page.getByLabel("Account", { exact: true }).fill(account);
  await page.getByLabel("Merchant category code").fill("5941");
  await page.getByLabel("Reason").fill("Agreed with the merchant.");
  await page.getByRole("button", { name: "Assign", exact: true }).click();
  await page.getByText("Account assigned.").waitFor();

  await page.goto(routing);
  await page.getByRole("button", { name: "Add rule" }).click();
  await page.getByLabel("Name").fill("Gold customers");
  await page.getByLabel("Condition (optional)").fill("metadata['plan'] == 'gold'");
  const weights = page.getByRole("group", { name: "Weights of the connections" });
  await weights.getByRole("textbox").first().fill("1");
  await page.getByRole("button", { name: "Apply to draft" }).click();
  await page.getByLabel("Metadata (optional)").fill("plan=gold");
  await page.getByRole("button", { name: "Simulate" }).click();
  // The connection has no secrets, so it is not active.
  await page.getByText("No connection accepts this payment.").waitFor();
  await page.getByText("Not used. The connection was not active.").first().waitFor();
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByLabel("Reason").fill("Agreed with the merchant.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Routing rules saved.").waitFor();
  await page.getByText("unsaved changes").waitFor({ state: "hidden" });
  await page.getByText("1. Gold customers").waitFor();
}

/** Sets up both wallets, unless an earlier visit has, and activates a key of Google Pay. */
async function setUpWallets(page: Page): Promise<void> {
  const google = page.getByRole("region", { name: "Google Pay" });
  await google.getByRole("button").first().waitFor();
  if (!(await google.getByRole("button", { name: "Set up Google Pay" }).isVisible())) return;
  const confirm = async (button: string, done: string) => {
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("Agreed with the merchant.");
    await dialog.getByRole("button", { name: button, exact: true }).click();
    await page.getByText(done).first().waitFor();
    await dialog.waitFor({ state: "detached" });
  };
  await google.getByRole("button", { name: "Set up Google Pay" }).click();
  await page.getByLabel("Merchant ID").fill("BCR2DN4TXYZ");
  await page.getByLabel("Name on the payment sheet").fill("Kiosk Nord");
  await confirm("Save", "Settings saved.");
  await google.getByRole("button", { name: "Create key" }).click();
  await confirm("Create key", "Key created.");
  await google.getByRole("button", { name: "Activate" }).click();
  await confirm("Activate", "Key activated.");

  const apple = page.getByRole("region", { name: "Apple Pay" });
  await apple.getByRole("button", { name: "Set up Apple Pay" }).click();
  await page.getByLabel("Merchant identifier").fill("merchant.com.example");
  await page.getByLabel("Name on the payment sheet").fill("Kiosk Nord");
  await page.getByLabel("Domains").fill("shop.example.com\npay.example.com");
  await confirm("Save", "Settings saved.");
  await apple.getByRole("button", { name: "Create key" }).first().click();
  await confirm("Create key", "Key created.");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    apple.getByRole("button", { name: "Download certificate request" }).click(),
  ]);
  if (!download.suggestedFilename().endsWith(".certSigningRequest")) {
    throw new Error(`The request was saved as ${download.suggestedFilename()}.`);
  }
}
