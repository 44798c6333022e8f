import { recordAct } from "../audit/record-act.ts";
import { type Browser, openSession } from "./open-session.ts";
import type { PeopleDeps } from "./people-deps.ts";
import type { Person } from "./person.ts";

/**
 * Signs in somebody who has proved who they are, and writes it down for each merchant they work for: its owner sees who
 * came in, and from where. Answers the cookie.
 */
export async function beginSession(
  { database, clock, membershipsOf }: PeopleDeps,
  person: Pick<Person, "id" | "email">,
  { secondFactor, browser }: { secondFactor: boolean; browser: Browser },
): Promise<string> {
  const now = clock.now();
  return database.transaction(async (tx) => {
    const cookie = await openSession(tx, { person: person.id, secondFactor, browser, now });
    // In the order of the accounts' ids, so that two of a team who sign in at once do not wait for one another.
    for (const { account } of await membershipsOf(tx, person.id)) {
      const act = {
        account: account.id,
        livemode: null,
        actor: { kind: "person", id: person.id, session: null, name: person.email },
        action: "member.signed_in",
        object: person.id,
        after: { second_factor: secondFactor },
        ip: browser.ip,
      } as const;
      await recordAct(tx, act, clock);
    }
    return cookie;
  });
}
