import { Outlet, useRouterState } from "@tanstack/react-router";
import {
  Activity,
  Cable,
  ChartLine,
  ClipboardCheck,
  Inbox,
  type LucideIcon,
  Network,
  ScrollText,
  Store,
  UserCog,
} from "lucide-react";
import { Suspense, useEffect, useRef } from "react";
import { renewSessionRegularly } from "../../api/renew-session.ts";
import { useMe } from "../../api/signed-in-person.ts";
import { useService } from "../../api/use-service.ts";
import { AppLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { useScrollFade } from "../../components/use-scroll-fade.ts";
import { Logo } from "../../shell/logo.tsx";
import { PendingPage } from "../../shell/pending-page.tsx";
import { PersonMenu } from "../../shell/person-menu.tsx";
import { PlainPage } from "../../shell/plain-page.tsx";
import { SandboxBanner } from "../../shell/sandbox-banner.tsx";
import { SkipLink } from "../../shell/skip-link.tsx";

const places: readonly (readonly [to: string, label: string, icon: LucideIcon])[] = [
  ["/operator", "Applications", Inbox],
  ["/operator/accounts", "Accounts", Store],
  ["/operator/figures", "Metrics", ChartLine],
  ["/operator/health", "Health", Activity],
  ["/operator/processors", "Processors", Network],
  ["/operator/connections", "Connections", Cable],
  ["/operator/operators", "Operators", UserCog],
  ["/operator/proposals", "Proposals", ClipboardCheck],
  ["/operator/audit", "Audit log", ScrollText],
];

/** The layout of the admin console's pages. */
export function OperatorShell() {
  const me = useMe();
  const isSandbox = useService()?.acquirers === "sandbox";
  useEffect(renewSessionRegularly, []);
  if (!me.operator) {
    return (
      <PlainPage
        title="Access denied"
        lead="Only operators of this service can open the admin console."
      >
        <AppLink to="/">Go to your account</AppLink>
      </PlainPage>
    );
  }
  return (
    <div className="min-h-dvh">
      <SkipLink />
      <header className="sticky top-0 z-30 border-b border-line bg-surface">
        {isSandbox && <SandboxBanner />}
        <div className="mx-auto flex max-w-6xl items-center gap-2.5 px-4 py-2 sm:px-8">
          <Logo />
          <span className="font-semibold whitespace-nowrap">Admin console</span>
          <span className="ml-auto flex min-w-0 items-center gap-3">
            {me.memberships.length > 0 && (
              <AppLink to="/" className="link text-sm whitespace-nowrap max-sm:hidden">
                Go to your account
              </AppLink>
            )}
            <PersonMenu />
          </span>
        </div>
        <Places />
      </header>
      <main id="page" tabIndex={-1} className="min-w-0 outline-none">
        {me.session.second_factor ? (
          <Suspense fallback={<PendingPage />}>
            <Outlet />
          </Suspense>
        ) : (
          <SecondFactorFirst />
        )}
      </main>
    </div>
  );
}

function Places() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = (to: string) =>
    to === "/operator"
      ? path === to || path.startsWith("/operator/applications")
      : path.startsWith(to);
  const nav = useRef<HTMLElement>(null);
  useScrollFade(nav);
  // On a phone, the row of links is wider than the screen. Scrolls the row to the link of the current page.
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.closest("a")?.scrollIntoView({ block: "nearest" });
  }, [path]);
  return (
    <nav
      ref={nav}
      aria-label="Pages"
      className="fade-sides mx-auto max-w-6xl overflow-x-auto scroll-px-12 px-1.5 sm:px-5.5"
    >
      <ul className="flex gap-1">
        {places.map(([to, label, Icon]) => (
          <li key={to}>
            <AppLink
              to={to}
              className={`flex items-center gap-2 border-b-2 px-2.5 pt-1.5 pb-2 whitespace-nowrap ${isHere(to) ? "border-accent font-medium text-ink" : "border-transparent text-ink-soft hover:text-ink"}`}
            >
              <Icon aria-hidden="true" className="size-4 shrink-0" />
              <span aria-current={isHere(to) ? "page" : undefined}>{label}</span>
            </AppLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Operators approve merchants, so the admin console requires a second factor. */
function SecondFactorFirst() {
  return (
    <div className="mx-auto max-w-2xl px-4 py-10">
      <Notice
        tone="warning"
        action={<AppLink to="/settings/security">Set up two-step verification</AppLink>}
      >
        The admin console requires two-step verification with a passkey or an authenticator app. Set
        one up, then sign in again with it.
      </Notice>
    </div>
  );
}
