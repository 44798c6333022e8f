import type { LoggedRequestWithBodies } from "@florin/contract/request-log.ts";
import { useParams } from "@tanstack/react-router";
import { useObject } from "../../api/use-object.ts";
import { Code } from "../../components/code.tsx";
import { LogTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { ResponseStatus } from "./response-status.tsx";

/** One request with its response and its actor. */
export function RequestPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: request, error } = useObject<LoggedRequestWithBodies>(`/request_logs/${id}`);
  const back = { to: "/requests", label: "Requests" };
  if (!request) {
    return <PagePlaceholder title="Request" back={back} problem={error} lines={6} />;
  }
  return (
    <Page title={request.endpoint} beside={<ResponseStatus {...request} />} back={back}>
      <Panel title="Details">
        <KeyValues
          items={[
            ["ID", <Id key="id" id={request.id} />],
            ["Time", <LogTime key="time" at={request.created} />],
            ["Path", <Text key="path">{request.path}</Text>],
            request.query ? ["Query", <Text key="query">{request.query}</Text>] : null,
            ["Duration", `${request.duration_ms} ms`],
            ["Actor", request.actor.name],
            ["Actor ID", <Id key="actor" id={request.actor.id} />],
            ["IP address", request.ip],
            request.user_agent ? ["Client", request.user_agent] : null,
            request.idempotency_key
              ? ["Idempotency-Key", <Text key="key">{request.idempotency_key}</Text>]
              : null,
          ]}
        />
      </Panel>
      <Body title="Request body" text={request.request_body} />
      <Body title="Response body" text={request.response_body} />
    </Page>
  );
}

function Text({ children }: { children: string }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

function Body({ title, text }: { title: string; text: string | null }) {
  if (text === null) return null;
  return (
    <Panel title={title}>
      <Code text={indented(text)} label={`${title.toLowerCase()} text`} />
    </Panel>
  );
}

/** Formats JSON. A truncated body is not valid JSON and is shown unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
