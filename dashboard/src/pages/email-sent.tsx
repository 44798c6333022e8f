import { useDemoMail } from "../api/demo-inbox.ts";
import { AppLink } from "../components/link.tsx";

/**
 * Shows the same text whether or not an account exists, so that the page does not reveal whether an email address has
 * an account.
 */
export function EmailSent({ to }: { to: string }) {
  const demoMail = useDemoMail();
  return (
    <div className="grid gap-3" role="status">
      <p>
        We sent an email to <strong className="break-all">{to}</strong>. Open the link in it to
        continue.
      </p>
      <p className="text-ink-soft">
        The email can take a minute to arrive. If you do not see it, check your spam folder.
      </p>
      {demoMail !== "none" && (
        <p className="rounded-md bg-info-soft px-4 py-2.5 text-info">
          This demo does not send email.{" "}
          {demoMail === "readable" ? (
            <AppLink to="/inbox" className="link underline">
              Read it here
            </AppLink>
          ) : (
            "To read it, open the demo inbox at the link that the server printed at startup"
          )}
          .
        </p>
      )}
    </div>
  );
}
