/** The pages of the navigation, with the paths of their files below `docs/` without `.md`. */
export const navigation: readonly { readonly title: string; readonly pages: readonly string[] }[] =
  [
    {
      title: "Get started",
      pages: ["guides/accept-a-payment", "guides/card-form", "guides/webhooks", "sdk"],
    },
    {
      title: "Payments",
      pages: [
        "guides/refunds",
        "guides/receipts",
        "guides/saved-cards",
        "guides/hold-and-capture",
        "guides/three-d-secure",
        "guides/disputes",
        "guides/decisions",
        "guides/find-payments",
        "guides/balance-and-payouts",
      ],
    },
    {
      title: "Your account",
      pages: ["guides/dashboard", "guides/keys-and-team", "guides/going-live"],
    },
    {
      title: "Tables",
      pages: [
        "reference/test-cards",
        "reference/currencies",
        "reference/permissions",
        "states",
        "vocabulary",
      ],
    },
    {
      title: "Operation",
      pages: [
        "operating/production",
        "operating/settings",
        "operating/unsafe-settings",
        "operating/when-something-is-wrong",
        "operating/tracing",
        "operating/admin-console",
        "operating/sign-in-and-email",
        "operating/adyen",
        "operating/stripe",
        "operating/reconciliation",
        "operating/verify",
        "operating/audit-log",
        "operating/card-data",
        "operating/card-retention",
        "operating/retention",
        "operating/upgrading",
        "operating/backup-and-restore",
        "operating/high-availability",
        "operating/performance",
        "operating/scaling",
        "reference/adyen",
        "reference/settlement-file",
      ],
    },
  ];

/** Pages of the API reference that replace a file below `docs/`. */
export const replacedPages: Readonly<Record<string, string>> = {
  "reference/errors": "api/errors",
  "reference/declines": "api/declines",
};
