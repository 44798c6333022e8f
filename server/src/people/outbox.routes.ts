import type { OutboxMail } from "@florin/contract/person.ts";
import type { Database } from "../database/database.ts";
import { type DoorRoute, doorRoute } from "../http/door.ts";
import { ok } from "../http/route.ts";
import { readWaitingMails } from "../mail/mail.sql.ts";
import { unixSeconds } from "../primitives/clock.ts";
import { createdAt } from "../primitives/ids.ts";

/** The newest are looked for. */
const mailsShown = 50;

/**
 * What would have been mailed, for the demo on one's own machine. Links in it let in whoever reads them, so it is
 * served only where there is no mail server and somebody turned the demo on.
 */
export function outboxRoutes({ database }: { database: Database }): DoorRoute<null>[] {
  const route = doorRoute<null>();
  return [
    route({
      method: "GET",
      path: "/outbox",
      async handle() {
        const mails = await readWaitingMails(database.read, mailsShown);
        const data = mails.map(
          ({ id, to, subject, text }): OutboxMail => ({
            object: "mail",
            id,
            created: unixSeconds(createdAt(id)),
            to,
            subject,
            text,
          }),
        );
        return ok({ object: "list", data });
      },
    }),
  ];
}
