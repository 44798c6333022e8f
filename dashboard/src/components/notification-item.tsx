import type { NotificationType } from "@florin/contract/notification-topics.ts";
import type { Notification } from "@florin/contract/team-notification.ts";
import { BadgeCheck, Ban, CircleX, Landmark, type LucideIcon, Scale, Unplug } from "lucide-react";
import { formatMoney } from "./amount.ts";
import { Ago } from "./date-time.tsx";
import { PageLink } from "./link.tsx";

const looks: Readonly<Record<NotificationType, readonly [LucideIcon, string]>> = {
  "dispute.opened": [Scale, "Dispute opened"],
  "payout.failed": [Landmark, "Payout failed"],
  "webhook_endpoint.failing": [Unplug, "Webhook endpoint failing"],
  "webhook_endpoint.disabled": [Ban, "Webhook endpoint disabled"],
  "application.approved": [BadgeCheck, "Application approved"],
  "application.rejected": [CircleX, "Application rejected"],
  "application.information_requested": [BadgeCheck, "Questions about your application"],
};

/** A notification as a link to the page of its object. */
export function NotificationItem({ notification }: { notification: Notification }) {
  const { type, created, read } = notification;
  const [Icon, title] = looks[type];
  const detail = detailOf(notification);
  return (
    <PageLink to={pageOf(notification)} className="flex gap-3 px-4 py-2.5 hover:bg-hover">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-soft" />
      <span className="min-w-0 flex-1">
        <span className={`block ${read ? "" : "font-medium"}`}>{title}</span>
        <span className="flex flex-wrap gap-x-2 text-sm text-ink-soft">
          {detail && <span className="min-w-0 break-all">{detail}</span>}
          <Ago at={created} />
        </span>
      </span>
      {!read && (
        <span className="mt-2 size-2 shrink-0 rounded-full bg-accent">
          <span className="sr-only">Unread</span>
        </span>
      )}
    </PageLink>
  );
}

function detailOf({ amount, currency, url }: Notification): string | null {
  return amount !== null && currency !== null ? formatMoney(amount, currency) : url;
}

function pageOf({ type, object_id }: Notification): string {
  switch (type) {
    case "dispute.opened":
      return `/disputes/${object_id}`;
    case "payout.failed":
      return `/payouts/${object_id}`;
    case "webhook_endpoint.failing":
    case "webhook_endpoint.disabled":
      return `/webhooks/${object_id}`;
    default:
      return "/going-live";
  }
}
