import type { Notification } from "@florin/contract/team-notification.ts";
import * as Popover from "@radix-ui/react-popover";
import { useRouterState } from "@tanstack/react-router";
import { Bell } from "lucide-react";
import { useEffect, useState } from "react";
import type { ListOf } from "../api/api.ts";
import { useObject } from "../api/use-object.ts";
import { useOperation } from "../api/use-operation.ts";
import { PageLink } from "../components/link.tsx";
import { NotificationItem } from "../components/notification-item.tsx";

const shown = 8;

/** The newest notifications, with the number of unread ones. */
export function NotificationBell() {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => setOpen(false), [path]);
  const { data: list } = useObject<ListOf<Notification>>(
    "/notifications",
    { limit: 20 },
    { againMs: () => 30_000 },
  );
  const readAll = useOperation<undefined, unknown>((api, _, key) =>
    api.post("/notifications/read", {}, key),
  );
  const notifications = list?.data ?? [];
  const unread = notifications.filter(({ read }) => !read).length;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          aria-label={unread > 0 ? `Notifications, ${countText(unread)} unread` : "Notifications"}
          className="relative grid size-8 shrink-0 place-items-center rounded-md border border-line text-ink-soft hover:border-line-strong hover:text-ink"
        >
          <Bell aria-hidden="true" className="size-4" />
          {unread > 0 && (
            <span className="absolute -top-1.5 -right-1.5 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 text-[0.625rem] font-semibold text-accent-ink tabular-nums">
              {countText(unread)}
            </span>
          )}
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Notifications"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-40 grid max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-1.5rem)] grid-rows-[auto_minmax(0,1fr)_auto] rounded-lg border border-line bg-surface shadow-raised outline-none"
        >
          <div className="flex items-center border-b border-line px-4 py-2">
            <p className="font-semibold">Notifications</p>
            {unread > 0 && (
              <button
                type="button"
                disabled={readAll.pending}
                onClick={() => void readAll.run(undefined)}
                className="link ml-auto text-sm"
              >
                Mark all as read
              </button>
            )}
          </div>
          {notifications.length === 0 ? (
            <p className="px-4 py-6 text-center text-sm text-ink-soft">
              Disputes, failed payouts and failing webhook endpoints appear here.
            </p>
          ) : (
            <ul className="divide-y divide-line overflow-y-auto">
              {notifications.slice(0, shown).map((notification) => (
                <li key={notification.id}>
                  <NotificationItem notification={notification} />
                </li>
              ))}
            </ul>
          )}
          <div className="border-t border-line px-4 py-2 text-sm">
            <PageLink to="/notifications">All notifications and email preferences</PageLink>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The server returns at most 20 notifications, so 20 unread ones are shown as "20+". */
function countText(unread: number): string {
  return unread < 20 ? String(unread) : "20+";
}
