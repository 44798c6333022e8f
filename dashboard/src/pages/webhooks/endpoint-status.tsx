import type { WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { Badge, Status } from "../../components/badge.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";

export function isFailing({ failing_since }: WebhookEndpoint): boolean {
  return failing_since !== null;
}

/** The endpoint's status. A failing endpoint is enabled, but the circuit breaker holds back its deliveries. */
export function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (isFailing(endpoint)) return <Badge tone="warning">Failing</Badge>;
  return <Status status={endpoint.status} />;
}

/** The time of the first failure and of the next attempt. */
export function FailureDetails({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { failing_since, failures, backoff_until } = endpoint;
  if (failing_since === null) return null;
  return (
    <p>
      Failing since <DateTime at={failing_since} /> · {failures} consecutive failures
      {backoff_until !== null && " · next attempt "}
      {backoff_until !== null && <NextAttemptTime at={backoff_until} />}
    </p>
  );
}

function NextAttemptTime({ at }: { at: number }) {
  // Once the backoff has ended, the next attempt is made with the next delivery.
  return at * 1000 > Date.now() ? <Ago at={at} /> : "with the next delivery";
}
