import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { useParams } from "@tanstack/react-router";
import { useMay } from "../../api/signed-in-person.ts";
import { useObject } from "../../api/use-object.ts";
import { DateTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { IdentifierCode } from "../../components/wrapping-identifier.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointDeliveries } from "./endpoint-deliveries.tsx";
import { EndpointStatus, FailureDetails, isBackingOff, isFailing } from "./endpoint-status.tsx";

const back = { to: "/webhooks", label: "Webhooks" };

export function WebhookEndpointPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: endpoint, error } = useObject<WebhookEndpoint>(
    `/webhook_endpoints/${id}`,
    {},
    { againMs: ({ status }) => (status === "enabled" ? 5_000 : null) },
  );
  const may = useMay();
  if (!endpoint) {
    return <PagePlaceholder title="Webhook endpoint" back={back} problem={error} lines={5} />;
  }
  return (
    <Page
      title={new URL(endpoint.url).host}
      back={back}
      beside={<EndpointStatus endpoint={endpoint} />}
      lead={<span className="break-all">{endpoint.url}</span>}
      actions={may("webhooks:write") && <EndpointActions endpoint={endpoint} />}
    >
      {endpoint.status === "disabled" && (
        <Notice tone="warning">
          This endpoint is disabled and receives nothing. Events are stored for 30 days, so you can
          enable it and resend missed deliveries.
          <FailureDetails endpoint={endpoint} />
        </Notice>
      )}
      {isFailing(endpoint) && (
        <Notice tone="warning">
          <FailureDetails endpoint={endpoint} />
          <p>
            {isBackingOff(endpoint)
              ? "To protect your server, one delivery is tried first. The others are sent after it succeeds. "
              : "Pending deliveries are retried automatically. "}
            Send a ping to test the endpoint now.
          </p>
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_21rem]">
        <EndpointDeliveries endpoint={endpoint} />
        <Panel title="Details">
          <KeyValues
            items={[
              ["ID", <Id key="id" id={endpoint.id} brief />],
              ["Description", endpoint.description],
              [
                "Events",
                endpoint.enabled_events.includes("*") ? (
                  "All"
                ) : (
                  <ul key="events" className="grid gap-0.5">
                    {endpoint.enabled_events.map((type) => (
                      <li key={type}>
                        <IdentifierCode text={type} />
                      </li>
                    ))}
                  </ul>
                ),
              ],
              ["Created", <DateTime key="at" at={endpoint.created} />],
              ...Object.entries(endpoint.metadata),
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}
