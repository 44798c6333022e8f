import type { InboxEmail } from "@florin/contract/person.ts";
import { useLocation } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { keepInboxSecret, useInbox } from "../api/demo-inbox.ts";
import { Button } from "../components/button.tsx";
import { Ago } from "../components/date-time.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { LoadError } from "../components/load-error.tsx";
import { Skeleton } from "../components/skeleton.tsx";
import { PlainPage } from "../shell/plain-page.tsx";

/** The emails of a demo, which has no mail server. */
export function InboxPage() {
  // Renders again if the person opens the link of a later server start in the same tab.
  useLocation({ select: ({ hash }) => hash });
  keepInboxSecret();
  const inbox = useInbox();
  const reload = (
    <Button small busy={inbox.isFetching} onClick={() => void inbox.refetch()}>
      Refresh
    </Button>
  );
  return (
    <PlainPage
      title="Emails"
      wide
      lead="This demo has no mail server. The emails that it would send appear here. Set FLORIN_SMTP_URL to send them."
    >
      {inbox.error && <LoadError problem={inbox.error} />}
      {inbox.isPending && <Skeleton />}
      {inbox.data === null && (
        <EmptyState icon={Inbox} title="Open the printed link">
          To read the emails, open the link that the server printed at startup. The server prints a
          new link at each start.
        </EmptyState>
      )}
      {inbox.data?.data.length === 0 && (
        <EmptyState icon={Inbox} title="No emails yet" action={reload}>
          Sign up or reset a password to get an email.
        </EmptyState>
      )}
      {inbox.data && inbox.data.data.length > 0 && (
        <>
          {reload}
          <ul className="mt-4 grid gap-4">
            {inbox.data.data.map((mail) => (
              <li key={mail.id}>
                <Email mail={mail} />
              </li>
            ))}
          </ul>
        </>
      )}
    </PlainPage>
  );
}

function Email({ mail }: { mail: InboxEmail }) {
  return (
    <article className="rounded-md border border-line bg-ground p-4">
      <h2 className="text-base">{mail.subject}</h2>
      <p className="text-sm text-ink-soft">
        To <span className="break-all">{mail.to}</span>, <Ago at={mail.created} />
      </p>
      <div className="mt-3 grid gap-2">
        {mail.text
          .trim()
          .split("\n\n")
          .map((paragraph) => (
            <p key={paragraph} className="break-words">
              {/^https?:\/\/\S+$/.test(paragraph) ? (
                <a href={paragraph} className="link break-all">
                  {paragraph}
                </a>
              ) : (
                paragraph
              )}
            </p>
          ))}
      </div>
    </article>
  );
}
