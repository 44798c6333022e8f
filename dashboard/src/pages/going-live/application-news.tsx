import type { Application } from "@florin/contract/application.ts";
import { formatDay } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";

/** The status of the application and the next step. */
export function ApplicationNews({ application }: { application: Application }) {
  const { status, submitted_at, decision_note } = application;
  const submitted = submitted_at === null ? "" : formatDay(submitted_at);
  switch (status) {
    case "draft":
      return null;
    case "submitted":
      return (
        <Notice>
          Submitted on {submitted}. It waits to be looked at; you are told by mail, by event and
          here.
        </Notice>
      );
    case "in_review":
      return <Notice>Your application of {submitted} is being looked at.</Notice>;
    case "more_information_needed":
      return (
        <Notice tone="warning">
          More information is needed. Look at the marked steps, change what is asked for, and submit
          it again.
        </Notice>
      );
    case "approved":
      return (
        <Notice tone="positive" action={<PageLink to="/api-keys">Make a live key</PageLink>}>
          Your application is approved. Live charges and checkout sessions are rejected until the
          operator connects an acquirer.
        </Notice>
      );
    case "rejected":
      return <Notice tone="negative">The application was rejected. {decision_note}</Notice>;
  }
}
