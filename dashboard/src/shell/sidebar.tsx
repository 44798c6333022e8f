import { useParams, useRouterState } from "@tanstack/react-router";
import { BookOpen, Search } from "lucide-react";
import { useMay } from "../api/me.ts";
import { useScopedPath } from "../api/use-api.ts";
import { AppLink, PageLink } from "../components/link.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { commandKey } from "./command-key.ts";
import { navigation } from "./navigation.ts";
import { NotificationBell } from "./notification-bell.tsx";
import { openCommandPalette } from "./open-event.ts";
import { PersonMenu } from "./person-menu.tsx";

/** The navigation of an account, with the current page marked. */
export function Sidebar() {
  const may = useMay();
  const address = useScopedPath();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = (to: string) =>
    to === "/" ? path === address("/") : `${path}/`.startsWith(`${address(to)}/`);
  return (
    <div className="flex h-full min-h-0 flex-col gap-3 p-3">
      <AccountMenu />
      <ModeSwitch />
      <div className="flex items-center gap-1.5">
        <button
          type="button"
          onClick={openCommandPalette}
          className="flex min-w-0 flex-1 items-center gap-2 rounded-md border border-line px-2.5 py-1 text-sm text-ink-soft hover:border-line-strong hover:text-ink"
        >
          <Search aria-hidden="true" className="size-3.5" />
          Search
          <kbd className="ml-auto font-sans text-xs text-ink-faint">{commandKey("K")}</kbd>
        </button>
        {/* On a phone, the bell is in the bar above the page. */}
        <span className="max-md:hidden">
          <NotificationBell />
        </span>
      </div>
      <nav
        aria-label="Pages"
        className="-mx-1 grid min-h-0 flex-1 content-start gap-4 overflow-y-auto px-1 py-0.5"
      >
        {navigation.map(({ label, places }) => {
          const shown = places.filter(({ permission }) => may(permission));
          if (shown.length === 0) return null;
          return (
            <div key={label ?? ""}>
              {label && <p className="mb-1 px-2 text-xs font-medium text-ink-faint">{label}</p>}
              <ul className="grid gap-px">
                {shown.map(({ label: name, to, icon: Icon }) => (
                  <li key={to}>
                    <PageLink
                      to={to}
                      className={`flex items-center gap-2.5 rounded-md px-2 py-1 max-md:py-1.5 ${isHere(to) ? "bg-accent-soft font-medium text-accent" : "text-ink-soft hover:bg-hover hover:text-ink"}`}
                    >
                      <Icon aria-hidden="true" className="size-4 shrink-0" />
                      <span aria-current={isHere(to) ? "page" : undefined}>{name}</span>
                    </PageLink>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <div className="border-t border-line pt-2">
        <a
          href="/docs"
          target="_blank"
          rel="noreferrer"
          className="mb-1 flex items-center gap-2.5 rounded-md px-2 py-1 text-ink-soft hover:bg-hover hover:text-ink max-md:py-1.5"
        >
          <BookOpen aria-hidden="true" className="size-4 shrink-0" />
          Docs
        </a>
        <PersonMenu />
      </div>
    </div>
  );
}

const modes = ["test", "live"] as const;

/**
 * Switches to the same page in the other mode. On the page of an object, switches to the list, because the object
 * exists in one mode only.
 */
function ModeSwitch() {
  const { account, mode } = useParams({ strict: false }) as { account: string; mode: string };
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const section = path.split("/").slice(3, 4).join("/");
  return (
    <nav aria-label="Mode" className="grid grid-cols-2 gap-0.5 rounded-md bg-sunken p-0.5">
      {modes.map((one) => (
        <AppLink
          key={one}
          to={`/${account}/${one}${section && `/${section}`}`}
          className={`rounded-sm px-2 py-1 text-center text-sm font-medium ${one === mode ? "bg-surface text-ink shadow-[0_1px_2px_#0002]" : "text-ink-soft hover:text-ink"}`}
        >
          <span aria-current={one === mode ? "true" : undefined}>
            {one === "test" ? "Test" : "Live"}
          </span>
        </AppLink>
      ))}
    </nav>
  );
}
