import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { leavePage } from "./api/current-page.ts";
import { ApiProblem } from "./api/problem.ts";
import { queries } from "./api/query-client.ts";
import { readingMe } from "./api/signed-in-person.ts";
import { addressIn } from "./api/use-api.ts";
import { startScope } from "./shell/last-scope.ts";
import { loadPage } from "./shell/load-page.ts";
import { NotFound } from "./shell/not-found.tsx";
import { PageError } from "./shell/page-error.tsx";
import { PendingPage } from "./shell/pending-page.tsx";
import { Root } from "./shell/root.tsx";
import { SignedIn } from "./shell/signed-in.tsx";

/**
 * All pages and their paths. The code of a page is loaded only when the page is opened, so adding a page does not slow
 * down the first load. To add a page, see dashboard/README.md.
 */
const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

type Load = Parameters<typeof lazyRouteComponent>[0];

function lazyPage(load: Load, name: string) {
  return lazyRouteComponent(() => loadPage(load), name);
}

/**
 * Pages that require sign-in. Other visitors are redirected to the sign-in page, which sends them back after sign-in.
 */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  component: SignedIn,
  async beforeLoad({ location }) {
    try {
      return { me: await queries.ensureQueryData(readingMe) };
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      const next = `/dashboard${location.href}`;
      throw redirect({ to: "/sign-in", search: { next } as never });
    }
  },
});

/** Pages of a merchant account in one mode, below `/dashboard/acct_…/test` or `/live`. */
const inAccount = createRoute({
  getParentRoute: () => signedIn,
  path: "$account/$mode",
  component: lazyPage(() => import("./shell/account-shell.tsx"), "AccountShell"),
});

/**
 * Creates a page again if a parameter of its path changes. Otherwise, a dialog that is open when the person presses
 * Back would stay open, and its operation would be executed on the object of the new page.
 */
const remountDeps = ({ params }: { readonly params: object }) => params;

function page(path: string, load: Load, name: string) {
  return createRoute({
    getParentRoute: () => inAccount,
    path,
    component: lazyPage(load, name),
    remountDeps,
  });
}

/** Returns the route of a page that belongs to the signed-in person instead of an account. */
function personPage(path: string, load: Load, name: string) {
  return createRoute({
    getParentRoute: () => signedIn,
    path,
    component: lazyPage(load, name),
  });
}

/** Returns the route of a page that requires no sign-in, such as the sign-in page itself. */
function openPage(path: string, load: Load, name: string) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPage(load, name),
  });
}

const accountPages = [
  page("/", () => import("./pages/overview/overview.tsx"), "OverviewPage"),
  page("start", () => import("./pages/start/first-payment-guide.tsx"), "FirstPaymentGuidePage"),

  // Payments
  page("payments", () => import("./pages/payments/payments.tsx"), "PaymentsPage"),
  page("payments/$id", () => import("./pages/payments/payment.tsx"), "PaymentPage"),
  page(
    "checkout-sessions/$id",
    () => import("./pages/checkout-sessions/checkout-session.tsx"),
    "CheckoutSessionPage",
  ),

  // Refunds, disputes, customers
  page("refunds", () => import("./pages/refunds/refunds.tsx"), "RefundsPage"),
  page("refunds/$id", () => import("./pages/refunds/refund.tsx"), "RefundPage"),
  page("disputes", () => import("./pages/disputes/disputes.tsx"), "DisputesPage"),
  page("disputes/$id", () => import("./pages/disputes/dispute.tsx"), "DisputePage"),
  page("approvals", () => import("./pages/approvals/approvals.tsx"), "ApprovalsPage"),
  page("customers", () => import("./pages/customers/customers.tsx"), "CustomersPage"),
  page("customers/$id", () => import("./pages/customers/customer.tsx"), "CustomerPage"),

  // Balance and payouts
  page("balance", () => import("./pages/balance/balance.tsx"), "BalancePage"),
  page("payouts", () => import("./pages/payouts/payouts.tsx"), "PayoutsPage"),
  page("payouts/$id", () => import("./pages/payouts/payout.tsx"), "PayoutPage"),
  page(
    "reconciliations",
    () => import("./pages/reconciliations/reconciliations.tsx"),
    "ReconciliationsPage",
  ),
  page(
    "reconciliations/$id",
    () => import("./pages/reconciliations/reconciliation.tsx"),
    "ReconciliationPage",
  ),

  // Decisions
  page("reviews", () => import("./pages/reviews/reviews.tsx"), "ReviewsPage"),
  page("decisions/$id", () => import("./pages/decisions/decision.tsx"), "DecisionPage"),
  page("rules", () => import("./pages/rules/rules.tsx"), "RulesPage"),
  page("lists", () => import("./pages/lists/lists.tsx"), "ListsPage"),

  // Developers
  page("api-keys", () => import("./pages/api-keys/api-keys.tsx"), "ApiKeysPage"),
  page("requests", () => import("./pages/requests/requests.tsx"), "RequestsPage"),
  page("requests/$id", () => import("./pages/requests/request.tsx"), "RequestPage"),
  page("events", () => import("./pages/events/events.tsx"), "EventsPage"),
  page("events/$id", () => import("./pages/events/event.tsx"), "EventPage"),
  page("webhooks", () => import("./pages/webhooks/endpoints.tsx"), "WebhookEndpointsPage"),
  page("webhooks/$id", () => import("./pages/webhooks/endpoint.tsx"), "WebhookEndpointPage"),
  page(
    "webhook-deliveries/$id",
    () => import("./pages/webhooks/delivery.tsx"),
    "WebhookDeliveryPage",
  ),

  // Settings and going live
  page("settings", () => import("./pages/account/account-settings.tsx"), "AccountSettingsPage"),
  page(
    "notifications",
    () => import("./pages/notifications/notifications.tsx"),
    "NotificationsPage",
  ),
  page("team", () => import("./pages/team/team.tsx"), "TeamPage"),
  page(
    "copy-settings",
    () => import("./pages/copy-settings/copy-settings.tsx"),
    "CopySettingsPage",
  ),
  page("audit-log", () => import("./pages/audit-log/audit-log.tsx"), "AuditLogPage"),
  page("going-live", () => import("./pages/going-live/going-live.tsx"), "GoingLivePage"),
];

/**
 * Routes for URLs that name a page but no account, such as `/payments/ch_…`. They redirect to the page in the account
 * and mode that the person used last.
 */
const pagesWithoutAccount = accountPages
  .map(({ options }) => (options as { readonly path: string }).path)
  .filter((path) => path !== "/")
  .map((path) =>
    createRoute({
      getParentRoute: () => signedIn,
      path,
      beforeLoad({ context, location }) {
        const scope = startScope(context.me);
        throw redirect({
          to: scope ? addressIn(scope, location.pathname) : "/",
          search: location.search as never,
          hash: location.hash,
          replace: true,
        });
      },
    }),
  );

const personPages = [
  personPage("/", () => import("./pages/last-account-redirect.tsx"), "LastAccountRedirect"),
  personPage("settings/security", () => import("./pages/settings/security.tsx"), "SecurityPage"),
];

const openPages = [
  openPage("sign-in", () => import("./pages/sign-in.tsx"), "SignInPage"),
  openPage("sign-up", () => import("./pages/sign-up.tsx"), "SignUpPage"),
  openPage("invitation", () => import("./pages/invitation.tsx"), "InvitationPage"),
  openPage("reset", () => import("./pages/reset.tsx"), "ResetPage"),
  openPage(
    "operator/set-up",
    () => import("./pages/operator/set-up-operator.tsx"),
    "SetUpOperatorPage",
  ),
  openPage("inbox", () => import("./pages/inbox.tsx"), "InboxPage"),
];

/** The pages of the admin console, which has a separate layout. */
const adminConsole = createRoute({
  getParentRoute: () => signedIn,
  path: "operator",
  component: lazyPage(() => import("./pages/operator/operator-shell.tsx"), "OperatorShell"),
});

function adminPage(path: string, load: Load, name: string) {
  return createRoute({
    getParentRoute: () => adminConsole,
    path,
    component: lazyPage(load, name),
    remountDeps,
  });
}

const adminPages = [
  adminPage("/", () => import("./pages/operator/applications.tsx"), "ApplicationsPage"),
  adminPage(
    "applications/$merchant",
    () => import("./pages/operator/application-review.tsx"),
    "ApplicationReviewPage",
  ),
  adminPage("accounts", () => import("./pages/operator/accounts.tsx"), "AccountsPage"),
  adminPage("accounts/$merchant", () => import("./pages/operator/account.tsx"), "AccountPage"),
  adminPage(
    "accounts/$merchant/routing",
    () => import("./pages/operator/routing.tsx"),
    "RoutingPage",
  ),
  adminPage(
    "accounts/$merchant/wallets",
    () => import("./pages/operator/wallets.tsx"),
    "WalletsPage",
  ),
  adminPage("figures", () => import("./pages/operator/metrics.tsx"), "MetricsPage"),
  adminPage("health", () => import("./pages/operator/health.tsx"), "HealthPage"),
  adminPage("proposals", () => import("./pages/operator/proposals.tsx"), "ProposalsPage"),
  adminPage("audit", () => import("./pages/operator/service-audit-log.tsx"), "ServiceAuditPage"),
  adminPage("operators", () => import("./pages/operator/operators.tsx"), "OperatorsPage"),
  adminPage("connections", () => import("./pages/operator/connections.tsx"), "ConnectionsPage"),
  adminPage(
    "connections/$connection",
    () => import("./pages/operator/connection.tsx"),
    "ConnectionPage",
  ),
  adminPage(
    "connections/$connection/notifications",
    () => import("./pages/operator/connection-notifications.tsx"),
    "ConnectionNotificationsPage",
  ),
  adminPage("processors", () => import("./pages/operator/processors.tsx"), "ProcessorsPage"),
];

/**
 * Reads and writes the URL query as plain text instead of JSON: `last4=0005` keeps its zeros, and the URL stays
 * readable.
 */
const plainQuery = {
  parseSearch: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (query: Record<string, unknown>) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(
      given.map(([name, value]) => [name, String(value)]),
    ).toString();
    return text && `?${text}`;
  },
};

export const router = createRouter({
  routeTree: root.addChildren([
    signedIn.addChildren([
      ...personPages,
      ...pagesWithoutAccount,
      adminConsole.addChildren(adminPages),
      inAccount.addChildren(accountPages),
    ]),
    ...openPages,
  ]),
  basepath: "/dashboard",
  ...plainQuery,
  defaultPreload: "intent",
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: PageError as ErrorRouteComponent,
  scrollRestoration: true,
});

// After the first page has loaded, the current page stays in the document until the next page is loaded. `LoadNotice`
// shows the progress. A placeholder would remove the current page, and typed input would be lost even if the next page
// cannot be loaded.
const stopWaiting = router.subscribe("onResolved", () => {
  stopWaiting();
  router.options.defaultPendingMs = Number.POSITIVE_INFINITY;
});

router.subscribe("onBeforeNavigate", ({ pathChanged }) => {
  if (pathChanged) leavePage();
});
