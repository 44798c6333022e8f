import type { Mail } from "../../platform/mail/mail.ts";
import type { WebhookEndpoint } from "./endpoint.ts";

/** Returns the mail to a merchant's team after an endpoint was disabled. */
export function endpointDisabledEmail(endpoint: WebhookEndpoint, reason: string): Omit<Mail, "to"> {
  const mode = endpoint.owner.livemode ? "live" : "test";
  return {
    subject: `A webhook endpoint in ${mode} mode was disabled`,
    text: [
      `Florin no longer sends events to ${endpoint.url}, because ${reason}.`,
      "Events are still recorded. When the endpoint works again, enable it in the dashboard, under Webhooks, and resend the missed events there.",
      `The endpoint is ${endpoint.id} of ${endpoint.owner.account}.`,
      "",
    ].join("\n\n"),
  };
}
