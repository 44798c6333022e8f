import type { Application } from "@florin/contract/application.ts";
import { formatDay } from "../../components/date-time.tsx";
import { PageLink } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";

/** The status of the application and the next step. */
export function ApplicationNotice({ application }: { application: Application }) {
  const { status, submitted_at, decision_note } = application;
  const submitted = submitted_at === null ? "" : formatDay(submitted_at);
  switch (status) {
    case "draft":
      return null;
    case "submitted":
      return (
        <Notice>
          Submitted on {submitted} and waiting for review. You will receive the result by email and
          as an event. It also appears on this page.
        </Notice>
      );
    case "in_review":
      return <Notice>Your application, submitted on {submitted}, is in review.</Notice>;
    case "more_information_needed":
      return (
        <Notice tone="warning">
          More information is needed. Update the marked steps and submit the application again.
        </Notice>
      );
    case "approved":
      return (
        <Notice tone="positive" action={<PageLink to="/api-keys">Create live key</PageLink>}>
          Your application is approved. Live charges and checkout sessions are rejected until the
          operator connects an acquirer.
        </Notice>
      );
    case "rejected":
      return <Notice tone="negative">Your application was rejected. {decision_note}</Notice>;
  }
}
