import type { Account } from "@florin/contract/account.ts";
import type { Dispute } from "@florin/contract/dispute.ts";
import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import {
  BadgeCheck,
  Ban,
  ChevronRight,
  CircleCheck,
  CircleHelp,
  type LucideIcon,
  Scale,
  ShieldCheck,
  Unplug,
} from "lucide-react";
import type { ReactNode } from "react";
import type { ListOf, Query } from "../../api/api.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { formatMoney } from "../../components/amount.ts";
import { formatDay, formatTime } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { LoadError } from "../../components/load-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { inWords } from "../../components/status-label.ts";
import { useOpenDisputes, useOpenReviews } from "../../shell/use-open-counts.ts";

type AttentionItem = {
  readonly key: string;
  readonly icon: LucideIcon;
  readonly text: string;
  readonly detail?: ReactNode;
  readonly to: string;
};

/**
 * A list of the items that need attention, most urgent first. If there are none, shows that nothing needs attention. If
 * a read has failed, shows its error below the list, because an item may be missing.
 */
export function Attention() {
  const read = useAttentionItems();
  if (!read) return null;
  const { matters, problem } = read;
  if (problem && matters.length === 0) return <LoadError problem={problem} />;
  if (matters.length === 0) {
    return (
      <p className="flex items-center gap-2 text-ink-soft">
        <CircleCheck aria-hidden="true" className="size-4 text-positive" />
        Nothing needs your attention.
      </p>
    );
  }
  return (
    <Panel title="Needs attention" flush>
      <ul>
        {matters.map(({ key, icon: Icon, text, detail, to }) => (
          <li key={key} className="border-b border-line last:border-0">
            <PageLink
              to={to}
              className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover sm:px-5"
            >
              <Icon aria-hidden="true" className="size-4 shrink-0 text-warning" />
              <span className="min-w-0 flex-1">
                <span className="font-medium">{text}</span>
                {detail && <span className="ml-2 text-ink-soft">{detail}</span>}
              </span>
              <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
            </PageLink>
          </li>
        ))}
      </ul>
      {problem && (
        <div className="p-4">
          <LoadError problem={problem} />
        </div>
      )}
    </Panel>
  );
}

const maxCounted = 100;

/** The maximum number of disputes that are listed separately, the earliest deadline first. */
const maxDisputes = 3;

/**
 * Returns null until all items are loaded. Otherwise, the page could show for a moment that nothing needs attention.
 */
function useAttentionItems(): {
  readonly matters: readonly AttentionItem[];
  readonly problem: ApiProblem | null;
} | null {
  const may = useMay();
  const useFirstItems = <Item,>(allowed: boolean, path: string, query: Query) =>
    useObject<ListOf<Item>>(allowed ? path : null, { limit: maxCounted, ...query });
  const disputes = useFirstItems<Dispute>(may("disputes:read"), "/disputes", {
    order_by: "evidence_due_by",
    limit: maxDisputes,
  });
  const allDisputes = useOpenDisputes();
  const reviews = useOpenReviews();
  const endpoints = useFirstItems<WebhookEndpoint>(may("webhooks:read"), "/webhook_endpoints", {});
  const waiting = useFirstItems<{ pending_reason: string | null }>(true, "/charges", {
    status: "processing",
  });
  const account = useObject<Account>("/account");
  const reads = [disputes, allDisputes, reviews, endpoints, waiting, account];
  if (reads.some(({ isLoading }) => isLoading)) return null;

  const open = disputes.data?.data ?? [];
  const laterDisputes = (allDisputes.data?.count ?? 0) - open.length;
  const toReview = reviews.data?.count ?? 0;
  const disabled = endpoints.data?.data.filter(({ status }) => status === "disabled").length ?? 0;
  const failing = (endpoints.data?.data ?? []).flatMap(({ id, failing_since, failures }) =>
    failing_since === null ? [] : [{ id, since: failing_since, failures }],
  );
  const [longest] = failing.toSorted((one, other) => one.since - other.since);
  const unknown =
    waiting.data?.data.filter(
      ({ pending_reason: reason }) => reason === "outcome_unknown" || reason === "manual_review",
    ).length ?? 0;
  const matters: readonly (AttentionItem | false)[] = [
    account.data?.status === "suspended" && {
      key: "suspended",
      icon: Ban,
      text: "The account is suspended",
      detail: "Live charges are rejected. The audit log shows the reason.",
      to: may("audit:read") ? "/audit-log" : "/going-live",
    },
    account.data?.livemode === true &&
      account.data.status === "approved" &&
      !account.data.charges_enabled && {
        key: "no-acquirer",
        icon: Unplug,
        text: "Live charges are disabled",
        detail: "No acquirer is connected yet",
        to: "/going-live",
      },
    account.data?.application_status === "more_information_needed" && {
      key: "application",
      icon: BadgeCheck,
      text: "Application: more information needed",
      to: "/going-live",
    },
    ...open.map((dispute) => ({
      key: dispute.id,
      icon: Scale,
      text: `${formatMoney(dispute.amount, dispute.currency)} ${dispute.is_inquiry ? "inquiry" : "dispute"} needs a response`,
      detail: `${inWords(dispute.reason)} · Due ${formatDay(dispute.evidence_due_by)}`,
      to: `/disputes/${dispute.id}`,
    })),
    laterDisputes > 0 && {
      key: "disputes",
      icon: Scale,
      text: counted(laterDisputes, "more dispute needs", "more disputes need", "a response"),
      to: "/disputes?status=needs_response",
    },
    toReview > 0 && {
      key: "reviews",
      icon: ShieldCheck,
      text: counted(toReview, "payment needs", "payments need", "review"),
      to: "/reviews",
    },
    longest !== undefined && {
      key: "failing",
      icon: Unplug,
      text: counted(failing.length, "webhook endpoint is", "webhook endpoints are", "failing"),
      detail: `Since ${formatTime(longest.since)} · ${longest.failures} consecutive failures`,
      to: failing.length === 1 ? `/webhooks/${longest.id}` : "/webhooks?status=failing",
    },
    disabled > 0 && {
      key: "endpoints",
      icon: Unplug,
      text: counted(disabled, "webhook endpoint is", "webhook endpoints are", "disabled"),
      to: "/webhooks?status=disabled",
    },
    unknown > 0 && {
      key: "unknown",
      icon: CircleHelp,
      text: counted(unknown, "payment has", "payments have", "an unknown outcome"),
      to: "/payments?status=processing,being_canceled",
    },
  ];
  return {
    matters: matters.filter((matter) => matter !== false),
    problem: reads.find(({ data, error }) => data === undefined && error)?.error ?? null,
  };
}

function counted(count: number, one: string, several: string, rest: string): string {
  return `${count} ${count === 1 ? one : several} ${rest}`;
}
