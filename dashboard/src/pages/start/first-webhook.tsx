import type { WebhookDelivery, WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import type { ListOf } from "../../api/api.ts";
import { useMay } from "../../api/signed-in-person.ts";
import { useList } from "../../api/use-list.ts";
import { useObject } from "../../api/use-object.ts";
import { useOperation } from "../../api/use-operation.ts";
import { Status } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Ago } from "../../components/date-time.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { Problem } from "../../components/problem.tsx";
import { Table } from "../../components/table.tsx";
import { showToast } from "../../components/toast.tsx";
import { IdentifierCode } from "../../components/wrapping-identifier.tsx";
import { keyPlaceholder, listen, verifyWebhook } from "./snippets.ts";

/**
 * Sets up the first webhook endpoint. A shop should ship an order when it receives the webhook. It cannot rely on the
 * customer's return to the shop, because the customer may close the browser first.
 */
export function FirstWebhook({ secret }: { secret: string | null }) {
  const { data } = useObject<ListOf<WebhookEndpoint>>("/webhook_endpoints", { limit: 1 });
  const endpoint = data?.data[0];
  return (
    <>
      <p className="max-w-2xl text-ink-soft">
        Every event is signed and retried until your server returns a 2xx status. If your server is
        not reachable from the internet, the command-line tool forwards the events to it.
      </p>
      <Code text={verifyWebhook} label="webhook handler" />
      <Code text={listen(location.origin, secret ?? keyPlaceholder)} label="listen command" />
      {endpoint ? (
        <Deliveries endpoint={endpoint} />
      ) : (
        <div>
          <ButtonLink to="/webhooks">Add endpoint</ButtonLink>
        </div>
      )}
    </>
  );
}

function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const may = useMay();
  const path = `/webhook_endpoints/${endpoint.id}`;
  const { rows, pending, problem } = useList<WebhookDelivery>(
    `${path}/deliveries`,
    {},
    { size: 5, everyMs: 4_000 },
  );
  const ping = useOperation<void, unknown>((api, _none, key) => api.post(`${path}/ping`, {}, key), {
    done: () => showToast("Ping sent."),
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <span className="min-w-0 break-all">
          Events are sent to <strong className="font-semibold">{endpoint.url}</strong>
        </span>
        {may("webhooks:write") && (
          <Button small busy={ping.pending} onClick={() => void ping.run()}>
            Send ping
          </Button>
        )}
      </div>
      {ping.problem && <Problem problem={ping.problem} />}
      <div className="rounded-md border border-line">
        <Table
          label="Latest deliveries"
          rows={rows}
          keyOf={({ id }) => id}
          to={({ id }) => `/webhook-deliveries/${id}`}
          pending={pending}
          problem={problem}
          columns={[
            {
              title: "Event",
              cell: ({ event_type }) => <IdentifierCode text={event_type} />,
            },
            { title: "Status", cell: ({ status }) => <Status status={status} /> },
            {
              title: "Sent",
              from: "sm",
              below: "cell",
              align: "end",
              cell: ({ created }) => <Ago at={created} />,
            },
          ]}
          empty={<p className="p-4 text-ink-soft">Waiting for the first event…</p>}
        />
      </div>
    </>
  );
}
