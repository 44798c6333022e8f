import { useParams, useRouterState } from "@tanstack/react-router";
import { BookOpen, ChevronDown, Search } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import { useMay } from "../api/signed-in-person.ts";
import { useScopedPath } from "../api/use-api.ts";
import { AppLink, PageLink } from "../components/link.tsx";
import { useScrollFade } from "../components/use-scroll-fade.ts";
import { AccountMenu } from "./account-menu.tsx";
import { useClosedGroups } from "./closed-groups.ts";
import { commandKey } from "./command-key.ts";
import { navigation, type Place } from "./navigation.ts";
import { NotificationBell } from "./notification-bell.tsx";
import { openCommandPalette } from "./open-event.ts";
import { PersonMenu } from "./person-menu.tsx";
import { countText, useOpenCounts } from "./use-open-counts.ts";

/** The navigation of an account, with the current page marked. */
export function Sidebar() {
  const may = useMay();
  const pages = useRef<HTMLElement>(null);
  useScrollFade(pages);
  useCurrentInView(pages);
  const [closed, toggle] = useClosedGroups();
  const counts = useOpenCounts();
  const address = useScopedPath();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isHere = (to: string) =>
    // Every path starts with the path of the overview, whose URL can end with a slash.
    to === "/"
      ? path.replace(/\/$/, "") === address("/")
      : `${path}/`.startsWith(`${address(to)}/`);
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
        ref={pages}
        aria-label="Pages"
        className="fade-edges -mx-1 min-h-0 flex-1 overflow-y-auto px-1 py-0.5"
      >
        <div className="grid content-start gap-3">
          {navigation.map(({ label, places }) => {
            const shown = places.filter(({ permission }) => may(permission));
            if (shown.length === 0) return null;
            const isOpen = label === null || !closed.includes(label);
            return (
              <div key={label ?? ""}>
                {label && (
                  <GroupButton label={label} open={isOpen} onToggle={() => toggle(label)} />
                )}
                {isOpen && (
                  <ul className="grid gap-px">
                    {shown.map((place) => (
                      <li key={place.to}>
                        <PlaceLink
                          place={place}
                          here={isHere(place.to)}
                          count={counts[place.to] ?? 0}
                        />
                      </li>
                    ))}
                  </ul>
                )}
              </div>
            );
          })}
        </div>
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

/** Scrolls to the link of the current page, which may be below the visible part of the list. */
function useCurrentInView(list: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const current = list.current?.querySelector("[aria-current=page]");
    current?.closest("a")?.scrollIntoView({ block: "nearest" });
  }, [list, path]);
}

function GroupButton({
  label,
  open,
  onToggle,
}: {
  label: string;
  open: boolean;
  onToggle: () => void;
}) {
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="mb-0.5 flex w-full items-center justify-between rounded-md px-2 py-0.5 text-xs font-medium text-ink-faint hover:bg-hover hover:text-ink"
    >
      {label}
      <ChevronDown
        aria-hidden="true"
        className={`size-3.5 transition-transform ${open ? "" : "-rotate-90"}`}
      />
    </button>
  );
}

function PlaceLink({ place, here, count }: { place: Place; here: boolean; count: number }) {
  const { label, to, icon: Icon } = place;
  return (
    <PageLink
      to={to}
      className={`flex scroll-my-10 items-center gap-2.5 rounded-md px-2 py-1 max-md:py-1.5 ${here ? "bg-accent-soft font-medium text-accent" : "text-ink-soft hover:bg-hover hover:text-ink"}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span aria-current={here ? "page" : undefined}>{label}</span>
      {count > 0 && (
        <span className="ml-auto rounded-full bg-sunken px-1.5 text-xs font-medium text-ink-soft tabular-nums">
          <span className="sr-only">, </span>
          {countText(count)}
          <span className="sr-only"> open</span>
        </span>
      )}
    </PageLink>
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
          className={`rounded-sm px-2 py-1 text-center text-sm font-medium ${one === mode ? "bg-(--segment) text-ink shadow-[0_1px_2px_#0002]" : "text-ink-soft hover:text-ink"}`}
        >
          <span aria-current={one === mode ? "true" : undefined}>
            {one === "test" ? "Test" : "Live"}
          </span>
        </AppLink>
      ))}
    </nav>
  );
}
