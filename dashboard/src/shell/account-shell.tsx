import { Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { Fragment, Suspense, useEffect, useRef, useState } from "react";
import { renewSessionRegularly } from "../api/renew-session.ts";
import { useMe, useMembership } from "../api/signed-in-person.ts";
import { useApi } from "../api/use-api.ts";
import { useService } from "../api/use-service.ts";
import { Dialog } from "../components/dialog.tsx";
import { isolateBidi } from "../components/isolate-bidi.ts";
import { AppLink } from "../components/link.tsx";
import { setTimeZone } from "../components/time-zone.ts";
import { useMediaQuery } from "../components/use-media-query.ts";
import { CommandPalette } from "./command-palette.tsx";
import { storeScope } from "./last-scope.ts";
import { Logo } from "./logo.tsx";
import { NotFound } from "./not-found.tsx";
import { NotificationBell } from "./notification-bell.tsx";
import { PendingPage } from "./pending-page.tsx";
import { PlainPage } from "./plain-page.tsx";
import { SandboxBanner } from "./sandbox-banner.tsx";
import { SecondFactorRequired } from "./second-factor-required.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SkipLink } from "./skip-link.tsx";
import { TestClock } from "./test-clock.tsx";

/** The layout of an account's pages: the mode and the navigation, which is in a drawer on a phone. */
export function AccountShell() {
  const membership = useMembership();
  const { session } = useMe();
  const { account, mode } = useParams({ strict: false }) as { account: string; mode: string };
  const page = useFocusOnPage();
  const { scope } = useApi();
  useEffect(() => storeScope(scope), [scope]);
  useEffect(renewSessionRegularly, []);
  const isWide = useMediaQuery("(width >= 48rem)");
  const timeZone = membership?.account.time_zone ?? null;
  // Set before the pages are rendered, because pages format times during the render.
  setTimeZone(timeZone);
  if (!account.startsWith("acct_")) return <NotFound />;
  if (!membership || (mode !== "test" && mode !== "live")) return <NoAccount />;
  if (mode === "live" && !session.second_factor) {
    return <SecondFactorRequired account={membership.account.id} />;
  }
  return (
    <div className="min-h-dvh">
      <SkipLink />
      <header className="sticky top-0 z-30 print:hidden">
        <ModeBanner />
        <PhoneBar name={membership.account.name} />
      </header>
      <div className="md:grid md:grid-cols-[15rem_minmax(0,1fr)] print:block">
        <aside className="sticky top-8 h-[calc(100dvh-2rem)] border-r border-line max-md:hidden print:hidden">
          {/* A phone shows the sidebar in the menu. A hidden second sidebar would delay the first input. */}
          {isWide && <Sidebar />}
        </aside>
        <main ref={page} id="page" tabIndex={-1} className="min-w-0 outline-none">
          <Suspense fallback={<PendingPage />}>
            {/* Renders the page again if the time zone changes. */}
            <Fragment key={timeZone}>
              <Outlet />
            </Fragment>
          </Suspense>
        </main>
      </div>
      <CommandPalette />
      <Shortcuts />
    </div>
  );
}

/** Moves the focus to the new page after navigation, so that keyboard and screen reader users continue there. */
function useFocusOnPage() {
  const page = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) page.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return page;
}

function PhoneBar({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) setOpen(false);
    before.current = path;
  }, [path]);
  return (
    <div className="flex items-center gap-2.5 border-b border-line bg-surface px-4 py-2 md:hidden">
      <Logo />
      <span className="min-w-0 flex-1 truncate font-semibold">{name}</span>
      <NotificationBell />
      <button
        type="button"
        aria-label="Menu"
        onClick={() => setOpen(true)}
        className="grid size-9 place-items-center rounded-md hover:bg-hover"
      >
        <MenuIcon aria-hidden="true" className="size-5" />
      </button>
      <Dialog open={open} title="Menu" onClose={() => setOpen(false)}>
        <div className="-m-3">
          <Sidebar />
        </div>
      </Dialog>
    </div>
  );
}

/** Shows the mode above every page, so that no real refund happens by mistake. */
function ModeBanner() {
  const { scope } = useApi();
  const name = useMembership()?.account.name;
  const isSandbox = useService()?.acquirers === "sandbox";
  if (scope.mode === "live" && isSandbox) return <SandboxBanner />;
  if (scope.mode === "test") {
    return (
      <div className="stripes flex h-8 items-center justify-center gap-2 border-b border-line px-4 text-sm text-test-ink">
        <p className="rounded-sm bg-test-ground px-2 py-0.5">
          <strong className="font-semibold tracking-wide">TEST MODE</strong>
          <span className="max-sm:hidden"> · Test cards only. No money moves.</span>
        </p>
        {/* The key closes the dialog if the person switches to another account. */}
        <TestClock key={scope.account} />
      </div>
    );
  }
  return (
    <p className="bg-ink px-4 py-1.5 text-center text-sm text-ground">
      <strong className="font-semibold tracking-wide">LIVE</strong>
      <span className="max-sm:hidden">
        {" "}
        · {name ? `${isolateBidi(name)}’s real` : "Real"} customers and money
      </span>
    </p>
  );
}

/** Shown if the person is not a member of the account. The text does not reveal whether the account exists. */
function NoAccount() {
  const { memberships } = useMe();
  return (
    <PlainPage
      title="Account not found"
      lead="This account does not exist, or you are not a member of its team."
    >
      <ul className="grid gap-2">
        {memberships.map(({ account }) => (
          <li key={account.id}>
            <AppLink to={`/${account.id}/test`}>{account.name}</AppLink>
          </li>
        ))}
      </ul>
    </PlainPage>
  );
}
