import { InboxEmail, ServiceObject, wholeListOf } from "@florin/contract/person.ts";
import { unixSeconds } from "../../core/clock.ts";
import { createdAt } from "../../core/ids.ts";
import type { Database } from "../../platform/database/database.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { ok } from "../../platform/http/route.ts";
import { readWaitingMails } from "../../platform/mail/mail.sql.ts";
import { plainText } from "../../platform/mail/mail.ts";

const maxMailsShown = 50;

/**
 * Lists the unsent mail, for the demo on a developer's machine. The mail contains links that sign in anyone who opens
 * them. The inbox is therefore served only in the demo without a mail server, and only to browsers on this machine that
 * opened the link printed at startup (`admitInbox`).
 */
export function inboxRoutes({ database }: { database: Database }): BrowserRoute<null>[] {
  const route = browserRoute<null>();
  return [
    route({
      method: "GET",
      path: "/inbox",
      response: wholeListOf(InboxEmail),
      async handle() {
        const mails = await readWaitingMails(database.read, maxMailsShown);
        const data = mails.map(
          ({ id, to, subject, text }): InboxEmail => ({
            object: "mail",
            id,
            created: unixSeconds(createdAt(id)),
            to,
            subject,
            text: plainText({ text }),
          }),
        );
        return ok({ object: "list", data });
      },
    }),
  ];
}

/**
 * Returns the route through which pages read properties of the service before sign-in. `caller` is true if the browser
 * may read the demo inbox. The sign-in page reads `demo_inbox` instead of requesting the inbox, because a rejected
 * request appears as an error in the browser's console.
 */
export function serviceRoutes(
  service: Pick<ServiceObject, "acquirers" | "sends_email">,
): BrowserRoute<boolean>[] {
  const route = browserRoute<boolean>();
  return [
    route({
      method: "GET",
      path: "/service",
      response: ServiceObject,
      async handle({ caller }) {
        return ok({ object: "service", demo_inbox: caller, ...service } satisfies ServiceObject);
      },
    }),
  ];
}
