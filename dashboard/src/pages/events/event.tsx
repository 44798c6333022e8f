import type { Event } from "@florin/contract/event.ts";
import { useParams } from "@tanstack/react-router";
import { useObject } from "../../api/use-object.ts";
import { Json } from "../../components/code.tsx";
import { LogTime } from "../../components/date-time.tsx";
import { Id } from "../../components/id.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Page } from "../../components/page.tsx";
import { PagePlaceholder } from "../../components/page-placeholder.tsx";
import { Panel } from "../../components/panel.tsx";
import { pageOfId } from "../../shell/page-of-id.ts";

/** One event with the payload that webhook endpoints receive. */
export function EventPage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: event, error } = useObject<Event>(`/events/${id}`);
  const back = { to: "/events", label: "Events" };
  if (!event) {
    return <PagePlaceholder title="Event" back={back} problem={error} lines={6} />;
  }
  const about = (event.data.object as { id?: string }).id;
  const page = about ? pageOfId(about) : null;
  const requestId = event.request?.id;
  return (
    <Page title={event.type} back={back}>
      <Panel title="Details">
        <KeyValues
          items={[
            ["ID", <Id key="id" id={event.id} />],
            ["Created", <LogTime key="created" at={event.created} />],
            about ? ["Object", <Id key="object" id={about} {...(page && { to: page })} />] : null,
            requestId
              ? ["Request", <Id key="request" id={requestId} to={`/requests/${requestId}`} />]
              : ["Request", "None (automatic)"],
          ]}
        />
      </Panel>
      <Panel title="Payload">
        <Json value={event} label="event payload" />
      </Panel>
    </Page>
  );
}
