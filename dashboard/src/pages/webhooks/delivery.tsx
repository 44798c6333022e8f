import type {
  DeliveryAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from "@florin/contract/webhook-endpoint.ts";
import { useParams } from "@tanstack/react-router";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code, Json } from "../../components/code.tsx";
import { LogTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { Problem } from "../../components/problem.tsx";
import { showToast } from "../../components/toast.tsx";
import { WrappingIdentifier } from "../../components/wrapping-identifier.tsx";
import { pageOfId } from "../../shell/page-of-id.ts";
import { FailureDetails, isBackingOff, isFailing } from "./endpoint-status.tsx";

/** One delivery, with the request and response of each attempt. */
export function WebhookDeliveryPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: delivery, error } = useObject<WebhookDelivery>(
    `/webhook_deliveries/${id}`,
    {},
    { againMs: ({ status }) => (status === "pending" ? 3_000 : null) },
  );
  const { data: endpoint } = useObject<WebhookEndpoint>(
    delivery?.status === "pending" ? `/webhook_endpoints/${delivery.endpoint_id}` : null,
    {},
    { againMs: () => 5_000 },
  );
  const back = delivery
    ? { to: `/webhooks/${delivery.endpoint_id}`, label: "Deliveries" }
    : { to: "/webhooks", label: "Webhooks" };
  if (!delivery) {
    return <PagePlaceholder title="Delivery" back={back} problem={error} lines={6} />;
  }
  const event = JSON.parse(delivery.request_body) as { data: { object: { id?: string } } };
  const about = event.data.object.id ?? null;
  const held = endpoint && isFailing(endpoint) ? endpoint : null;
  return (
    <Page
      title={delivery.event_type}
      back={back}
      beside={<Status status={delivery.status} />}
      lead={<Id id={delivery.id} />}
      actions={<Resend delivery={delivery} />}
    >
      {held && (
        <Notice tone="warning">
          <FailureDetails endpoint={held} />
          <p>
            {isBackingOff(held)
              ? "This delivery waits until one delivery to the endpoint succeeds. "
              : "Pending deliveries are retried automatically. "}
            Select Resend to try this one now.
          </p>
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <div className="grid min-w-0 gap-6">
          <Panel title="Attempts">
            <Attempts log={delivery.log} none={whyNoAttempts(delivery, held !== null)} />
          </Panel>
          <Panel title="Payload" lead="The signed body, formatted">
            <Json value={event} label="payload JSON" />
          </Panel>
        </div>
        <Panel title="Details">
          <KeyValues
            items={[
              [
                "URL",
                <span key="url" className="wrap-anywhere">
                  <WrappingIdentifier text={delivery.url} />
                </span>,
              ],
              [
                "Event",
                <Id key="evt" id={delivery.event_id} to={`/events/${delivery.event_id}`} brief />,
              ],
              about !== null && ["Object", <ObjectLink key="object" id={about} />],
              ["Created", <LogTime key="at" at={delivery.created} />],
              ["Attempts", String(delivery.attempts)],
              delivery.next_attempt_at !== null && [
                "Next attempt",
                <NextAttempt key="next" delivery={delivery} />,
              ],
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

function ObjectLink({ id }: { id: string }) {
  const page = pageOfId(id);
  return page ? <Id id={id} to={page} brief /> : <Id id={id} brief />;
}

function whyNoAttempts(delivery: WebhookDelivery, isHeld: boolean): string {
  if (isAttemptInProgress(delivery)) return "The first attempt is in progress.";
  return isHeld ? "No attempts yet" : "The first attempt starts in a moment.";
}

/** Returns whether an attempt is in progress. Such an attempt is counted in `attempts` but has no log entry yet. */
const isAttemptInProgress = ({ attempts, log }: WebhookDelivery) => attempts > log.length;

function NextAttempt({ delivery }: { delivery: WebhookDelivery }) {
  const at = delivery.next_attempt_at;
  if (isAttemptInProgress(delivery)) return "In progress";
  return at !== null && at * 1000 > Date.now() ? <LogTime at={at} /> : "Queued";
}

/**
 * Returns the reason why the resend button is disabled: an attempt is in progress or is about to start. Returns null if
 * the button is enabled.
 */
function resendDisabledReason(delivery: WebhookDelivery): string | null {
  if (delivery.next_attempt_at === null) return null;
  if (isAttemptInProgress(delivery)) return "An attempt is in progress.";
  const inMs = delivery.next_attempt_at * 1000 - Date.now();
  return Math.abs(inMs) <= imminentMs ? "The next attempt starts in a moment." : null;
}

const imminentMs = 5_000;

function Resend({ delivery }: { delivery: WebhookDelivery }) {
  const may = useMay();
  const resend = useOperation<void, WebhookDelivery>(
    (api, _none, key) => api.post(`/webhook_deliveries/${delivery.id}/resend`, {}, key),
    { done: () => showToast("Delivery queued.") },
  );
  if (!may("webhooks:write")) return null;
  return (
    <>
      {resend.problem && <Problem problem={resend.problem} />}
      <Button
        weight="primary"
        busy={resend.pending}
        unavailable={resendDisabledReason(delivery)}
        onClick={() => void resend.run()}
      >
        Resend
      </Button>
    </>
  );
}

function Attempts({ log, none }: { log: readonly DeliveryAttempt[]; none: string }) {
  if (log.length === 0) return <p className="text-ink-soft">{none}</p>;
  return (
    <ol className="grid gap-4">
      {log.toReversed().map((attempt, index) => (
        <li
          key={`${attempt.at} ${attempt.duration_ms}`}
          className="grid gap-2 border-b border-line pb-4 last:border-0 last:pb-0"
        >
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={attempt.failure ? "negative" : "positive"}>
              {attempt.status_code ?? inWords(attempt.failure?.code ?? "other")}
            </Badge>
            <LogTime at={attempt.at} />
            <span className="text-ink-soft tabular-nums">{attempt.duration_ms} ms</span>
          </div>
          {attempt.failure && <p className="text-ink-soft">{attempt.failure.message}</p>}
          {attempt.response && (
            <Code text={attempt.response} label={`response to attempt ${log.length - index}`} />
          )}
        </li>
      ))}
    </ol>
  );
}
