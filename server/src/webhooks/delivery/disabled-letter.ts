import type { Mail } from "../../platform/mail/mail.ts";
import type { WebhookEndpoint } from "./endpoint.ts";

/** Returns the mail to a merchant's team after an endpoint was disabled. */
export function disabledLetter(endpoint: WebhookEndpoint, reason: string): Omit<Mail, "to"> {
  const mode = endpoint.owner.livemode ? "live" : "test";
  return {
    subject: `A webhook endpoint in ${mode} mode was disabled`,
    text: [
      `Nothing is sent to ${endpoint.url} any more, because ${reason}.`,
      "What happens meanwhile is kept. When the endpoint works, enable it in the dashboard, under Webhooks, and resend what it missed from there.",
      `The endpoint is ${endpoint.id} of ${endpoint.owner.account}.`,
      "",
    ].join("\n\n"),
  };
}
