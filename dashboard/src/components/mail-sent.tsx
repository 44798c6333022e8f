import { useDemoMail } from "../api/outbox.ts";
import { AppLink } from "./link.tsx";

/** The text is the same whether or not the account exists. Only the reader of the mailbox learns it. */
export function MailSent({ to }: { to: string }) {
  const demoMail = useDemoMail();
  return (
    <div className="grid gap-3" role="status">
      <p>
        We have sent a mail to <strong className="break-all">{to}</strong>. Open the link in it to
        go on.
      </p>
      <p className="text-ink-soft">
        It may take a minute. If it does not come, look among unwanted mail.
      </p>
      {demoMail !== "none" && (
        <p className="rounded-md bg-info-soft px-4 py-2.5 text-info">
          This demo sends no mail.{" "}
          {demoMail === "readable" ? (
            <AppLink to="/outbox" className="link underline">
              Read it in the outbox
            </AppLink>
          ) : (
            "Open the outbox with the link that the start of the server printed"
          )}
          .
        </p>
      )}
    </div>
  );
}
