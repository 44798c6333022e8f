/** A group of the navigation. */
type ListedGroup = {
  readonly title: string;
  /** The description of each page, by the path of its file below `docs/` without `.md`. */
  readonly pages: Readonly<Record<string, string>>;
};

/**
 * The pages of the navigation. The start page and `llms.txt` show the descriptions without the pages' texts, so each
 * description must make sense alone.
 */
export const navigation: readonly ListedGroup[] = [
  {
    title: "Get started",
    pages: {
      "guides/accept-a-payment":
        "Create a checkout session, show the card form, and fulfill the order on the webhook.",
      "guides/card-form":
        "Mount the card form on your page, handle its events, and change its appearance and language.",
      "guides/webhooks":
        "Receive the outcome of every payment on your server, and verify its signature in your language.",
      sdk: "Call the API from JavaScript and TypeScript with types, retries and webhook verification.",
    },
  },
  {
    title: "Payments",
    pages: {
      "guides/refunds":
        "Return all or part of a payment to the card, and follow the refund's status.",
      "guides/receipts": "Send your customers a receipt after each payment and refund.",
      "guides/saved-cards":
        "Save a customer's card with consent, and charge it later without the customer.",
      "guides/wallets":
        "Let customers pay with a wallet, and test it with the wallet of test mode.",
      "guides/hold-and-capture": "Reserve an amount on a card, then capture or release it later.",
      "guides/three-d-secure":
        "Authenticate cardholders with 3-D Secure, and read the result and the liability shift.",
      "guides/disputes": "Respond to chargebacks with evidence before the deadline.",
      "guides/decisions":
        "Block, review or challenge risky payments with rules, lists and manual reviews.",
      "guides/find-payments":
        "Filter and search payments, export them as CSV, and read payment metrics.",
      "guides/balance-and-payouts":
        "Read your balance, pay it out to your bank account, and match payouts with payments.",
    },
  },
  {
    title: "Your account",
    pages: {
      "guides/dashboard":
        "Find your way around the dashboard: modes, main pages and keyboard shortcuts.",
      "guides/keys-and-team":
        "Create and roll API keys, invite your team, and see who changed what.",
      "guides/going-live":
        "Apply for live mode, move your integration, and learn how live mode differs from test mode.",
    },
  },
  {
    title: "Tables",
    pages: {
      "reference/test-cards":
        "Card numbers and amounts that simulate success, declines, 3-D Secure and disputes.",
      "reference/currencies":
        "The supported currencies, with their decimals and the minimum and maximum amounts.",
      "reference/permissions": "The permissions of API keys and of the roles in a team.",
      states: "The states of every object and the transitions between them, as diagrams.",
      vocabulary: "The terms of the payments industry and of Florin's code, with their meaning.",
    },
  },
  {
    title: "Operation",
    pages: {
      "operating/production":
        "Install and run a service that other people depend on: database, settings, TLS and monitoring.",
      "operating/settings": "All environment variables, with their defaults.",
      "operating/unsafe-settings":
        "What the florin doctor command checks, with the consequence and the fix of each finding.",
      "operating/when-something-is-wrong":
        "What to do for each alert, and what is always safe to do.",
      "operating/tracing":
        "Send OpenTelemetry traces to a collector, and find the trace of a request.",
      "operating/admin-console":
        "Approve merchants for live mode, set their terms, and monitor the service.",
      "operating/sign-in-and-email":
        "Create the first operator, set up email, and restore access after a lost second factor.",
      "operating/adyen":
        "Connect the service to Adyen for live payments, and certify the connection.",
      "operating/checkout-com":
        "Connect the service to Checkout.com for live payments, and certify the connection.",
      "operating/stripe":
        "Connect the service to Stripe for live payments, and certify the connection.",
      "operating/wallets-url":
        "Serve Google Pay's button on a second host name, apart from the card form.",
      "operating/routing":
        "Choose the acquirer of each charge with rules and weighted splits, and simulate them.",
      "operating/wallets":
        "Set up Google Pay and Apple Pay for an account, and replace its keys and certificates.",
      "operating/reconciliation":
        "Compare Florin's records with the acquirer's settlement files, and resolve differences.",
      "operating/verify":
        "Check that ledger, charges, events and audit logs agree with each other.",
      "operating/audit-log":
        "What the audit logs record, and how Florin detects a changed or deleted entry.",
      "operating/card-data": "How Florin detects card numbers in other fields, and keeps them out.",
      "operating/card-retention": "How long Florin keeps each card, and when it erases the card.",
      "operating/retention": "How long the rows of each table are kept.",
      "operating/upgrading": "Upgrade without downtime, and return to the previous version.",
      "operating/backup-and-restore":
        "Back up the database while Florin runs, and restore it to any point in time.",
      "operating/high-availability":
        "Run a three-node Postgres cluster with automatic failover, and act when a node fails.",
      "operating/performance":
        "Measure the throughput and latency of your installation, and compare them with baselines.",
      "operating/scaling": "How many payments per second one cluster handles, by number of cores.",
      "reference/adyen": "How requests, codes and amounts of Florin and Adyen correspond.",
      "reference/settlement-file":
        "The format of the CSV files that list an acquirer's settled movements.",
    },
  },
];

/** Descriptions of pages outside the navigation, except the decisions. */
const moreDescriptions: Readonly<Record<string, string>> = {
  architecture: "The folders of the code, and how the service processes a charge.",
};

const descriptions = new Map([
  ...navigation.flatMap(({ pages }) => Object.entries(pages)),
  ...Object.entries(moreDescriptions),
]);

/** Returns the description of a page. For a decision record, returns a description that contains its title. */
export function descriptionOf(path: string, title: string): string {
  const description = descriptions.get(path);
  if (description !== undefined) return description;
  if (!path.startsWith("decisions/"))
    throw new Error(`docs-site/navigation.ts has no description of ${path}.`);
  return `A design decision of Florin: ${title.replace(/^\d+\. /, "")}.`;
}

/** Pages of the API reference that replace a file below `docs/`. */
export const replacedPages: Readonly<Record<string, string>> = {
  "reference/errors": "api/errors",
  "reference/declines": "api/declines",
  "reference/events": "api/webhooks",
};
