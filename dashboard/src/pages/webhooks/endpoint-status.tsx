import type { DeliveryAttempt, WebhookEndpoint } from "@florin/contract/webhook-endpoint.ts";
import { Badge, inWords, Status } from "../../components/badge.tsx";
import { Ago, DateTime } from "../../components/date-time.tsx";

export function isFailing({ failing_since }: WebhookEndpoint): boolean {
  return failing_since !== null;
}

/** Returns whether deliveries wait for the end of the circuit breaker's backoff. */
export function isBackingOff({ backoff_until }: WebhookEndpoint): boolean {
  return backoff_until !== null && backoff_until * 1000 > Date.now();
}

/** The endpoint's status. A failing endpoint is enabled, but the circuit breaker can hold back its deliveries. */
export function EndpointStatus({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (isFailing(endpoint)) return <Badge tone="warning">Failing</Badge>;
  return <Status status={endpoint.status} />;
}

/** The last failure of an endpoint, the time since which it has been failing, and the time of the next delivery. */
export function FailureDetails({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { failing_since, failures, backoff_until, last_failure } = endpoint;
  return (
    <>
      {last_failure && <LastFailure attempt={last_failure} />}
      {failing_since !== null && (
        <p>
          Failing since <DateTime at={failing_since} /> · {failures}{" "}
          {failures === 1 ? "failure" : "consecutive failures"}
          {backoff_until !== null &&
            !isBackingOff(endpoint) &&
            " · next attempt with the next delivery"}
        </p>
      )}
      {backoff_until !== null && isBackingOff(endpoint) && (
        <p>
          Deliveries are paused · next attempt <Ago at={backoff_until} />
        </p>
      )}
    </>
  );
}

/** The status and the first line of the response, or the reason why there was no response. */
function LastFailure({ attempt }: { attempt: DeliveryAttempt }) {
  const { status_code, failure, response } = attempt;
  const line = firstLine(response ?? "");
  return (
    <p className="wrap-anywhere">
      <span className="font-medium">Last response: {lastResponse(attempt)}</span>
      {line ? (
        <>
          {" · "}
          <q className="font-mono text-xs">{line}</q>
        </>
      ) : (
        status_code === null && failure && ` · ${failure.message}`
      )}
    </p>
  );
}

/** Returns the status of the response to an attempt. If there was no response, returns the kind of failure. */
export function lastResponse({ status_code, failure }: DeliveryAttempt): string {
  if (status_code !== null) return String(status_code);
  return inWords(failure?.code ?? "other");
}

const maxLineLength = 200;

/** Returns the first non-empty line of a response, shortened if it is long. Returns null if all lines are empty. */
function firstLine(response: string): string | null {
  const lines = response.split(/\r?\n/).map((line) => line.trim());
  const line = lines.find((one) => one !== "");
  if (line === undefined) return null;
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}
