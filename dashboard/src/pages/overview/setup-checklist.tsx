import type { Account } from "@florin/contract/account.ts";
import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { ChevronRight, Circle, CircleCheck } from "lucide-react";
import { useState } from "react";
import type { ListOf, Query } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useApi } from "../../api/use-api.ts";
import { useObject } from "../../api/use-object.ts";
import { Button } from "../../components/button.tsx";
import { PageLink } from "../../components/link.tsx";
import { Panel } from "../../components/panel.tsx";

type SetupStep = {
  readonly text: string;
  readonly to: string;
  readonly done: boolean;
};

/**
 * The steps from a new account to live payments, each with a link. Shown until all steps are done or the person hides
 * the list.
 */
export function SetupChecklist() {
  const { scope } = useApi();
  const key = `florin-setup-hidden ${scope.account}`;
  const [hidden, setHidden] = useState(() => localStorage.getItem(key) !== null);
  if (hidden) return null;
  const hide = () => {
    localStorage.setItem(key, "yes");
    setHidden(true);
  };
  return <SetupSteps onHide={hide} />;
}

/** A separate component, so that a hidden checklist sends no requests. */
function SetupSteps({ onHide }: { onHide: () => void }) {
  const steps = useSetupSteps();
  const count = steps?.filter(({ done }) => done).length;
  if (!steps || count === steps.length) return null;
  return (
    <Panel
      title="Set up your account"
      lead={`${count} of ${steps.length} done`}
      flush
      actions={
        <Button small weight="quiet" onClick={onHide}>
          Hide
        </Button>
      }
    >
      <ul className="grid py-1.5 md:grid-cols-2 md:gap-x-4">
        {steps.map(({ text, to, done }) => (
          <li key={text}>
            <PageLink
              to={to}
              className="flex items-center gap-3 px-4 py-1.5 hover:bg-hover sm:px-5"
            >
              {done ? (
                <CircleCheck aria-label="Done" className="size-4 shrink-0 text-positive" />
              ) : (
                <Circle aria-label="To do" className="size-4 shrink-0 text-ink-faint" />
              )}
              <span className={`min-w-0 flex-1 ${done ? "text-ink-soft" : "font-medium"}`}>
                {text}
              </span>
              {!done && (
                <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
              )}
            </PageLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/**
 * Returns the steps that this person can do. Returns null until the steps are loaded, so that the layout does not
 * shift. Also returns null if a read has failed, because the steps that are done would be shown as open.
 */
function useSetupSteps(): readonly SetupStep[] | null {
  const may = useMay();
  const useFirst = <Item,>(isRead: boolean, path: string, query: Query = {}) =>
    useObject<ListOf<Item>>(isRead ? path : null, { limit: 1, ...query });
  const account = useObject<Account>("/account");
  const keys = useFirst<unknown>(may("keys:read"), "/api_keys");
  const payments = useFirst<unknown>(may("payments:read"), "/charges");
  // Uses the same query as the list of items that need attention, so that the browser sends only one request.
  const endpoints = useFirst<WebhookEndpoint>(may("webhooks:read"), "/webhook_endpoints", {
    limit: 100,
  });
  const endpoint = endpoints.data?.data[0]?.id;
  const delivered = useFirst<unknown>(
    endpoint !== undefined,
    `/webhook_endpoints/${endpoint}/deliveries`,
    { status: "succeeded" },
  );
  const members = useFirst<unknown>(may("team:read"), "/members", { limit: 2 });
  const invitations = useFirst<unknown>(may("team:read"), "/invitations");
  const reads = [account, keys, payments, endpoints, delivered, members, invitations];
  if (reads.some(({ data, error, isLoading }) => isLoading || (error && !data))) return null;
  const has = ({ data }: { data: ListOf<unknown> | undefined }) => (data?.data.length ?? 0) > 0;
  const steps: readonly (SetupStep | false)[] = [
    may("keys:write") && {
      text: "Create an API key",
      to: has(keys) ? "/api-keys" : "/api-keys?dialog=create",
      done: has(keys),
    },
    may("payments:write") && {
      text: "Accept your first payment",
      to: has(payments) ? "/payments" : "/start",
      done: has(payments),
    },
    may("webhooks:write") && {
      text: "Add a webhook endpoint",
      to: has(endpoints) ? "/webhooks" : "/webhooks?dialog=create",
      done: has(endpoints),
    },
    may("webhooks:write") && {
      text: "Receive a webhook",
      to: endpoint ? `/webhooks/${endpoint}` : "/start",
      done: has(delivered),
    },
    may("team:write") && {
      text: "Invite your team",
      to: "/team",
      done: (members.data?.data.length ?? 0) > 1 || has(invitations),
    },
    may("application:write") && {
      text: "Apply for live mode",
      to: "/going-live",
      done: (account.data?.application_status ?? "draft") !== "draft",
    },
  ];
  return steps.filter((step) => step !== false);
}
