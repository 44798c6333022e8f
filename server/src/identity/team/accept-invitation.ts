import type { SignUpByInvitation } from "@florin/contract/team.ts";
import { ApiError } from "../../core/api-error.ts";
import type { Clock } from "../../core/clock.ts";
import { newId, type PersonId } from "../../core/ids.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Tx, violates } from "../../platform/database/sql.ts";
import { insertMember } from "../accounts/member.sql.ts";
import type { Member } from "../accounts/member.ts";
import { type AttemptLimiter, passwordByLink } from "../people/attempt-limiter.ts";
import { type Browser, createSession } from "../people/create-session.ts";
import type { Passwords } from "../people/password.ts";
import { rejectWeakPassword } from "../people/password-rules.ts";
import type { PersonSecrets } from "../people/people-deps.ts";
import { insertPerson } from "../people/person.sql.ts";
import { normalizeEmail } from "../people/person.ts";
import { hashSecretText } from "../people/secret-text.ts";
import type { SignedIn } from "../people/session.ts";
import { type OpenInvitation, readInvitationByToken, takeInvitation } from "./invitation.sql.ts";

export type AcceptDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly guard: AttemptLimiter;
  readonly secrets: PersonSecrets;
};

/** Returns the invitation of a link without accepting it. */
export async function readOpenInvitation(
  { database, clock }: AcceptDeps,
  token: string,
): Promise<OpenInvitation> {
  const known = await readInvitationByToken(database.read, hashSecretText(token), clock.now());
  if (!known) throw invitationGone();
  return known;
}

/**
 * Accepts an invitation for a signed-in person. The email address must match, so that a forwarded link is useless to
 * others.
 */
export async function acceptInvitation(
  deps: AcceptDeps,
  token: string,
  person: Pick<SignedIn, "person" | "session" | "email">,
  ip: string,
): Promise<Member> {
  const invitation = await readOpenInvitation(deps, token);
  if (normalizeEmail(invitation.email) !== normalizeEmail(person.email)) {
    throw new ApiError(
      "invitation_for_another",
      `This invitation was sent to ${invitation.email}. You are signed in as ${person.email}. Sign in with the invited address.`,
    );
  }
  const actor = { id: person.person, session: person.session, name: person.email };
  try {
    return await deps.database.transaction((tx) => join(deps, tx, token, actor, ip));
  } catch (error) {
    if (!violates(error, "members_person_unique")) throw error;
    throw new ApiError(
      "resource_already_exists",
      "You are already a member of this team. Open the account in the dashboard.",
    );
  }
}

/** Accepts an invitation for a new person. Holding the mailed link confirms the email address. */
export async function signUpByInvitation(
  deps: AcceptDeps,
  chosen: SignUpByInvitation,
  browser: Browser,
): Promise<{ member: Member; cookie: string; email: string }> {
  const { email, isKnown } = await readOpenInvitation(deps, chosen.token);
  if (isKnown) throw signInFirst();
  const name = chosen.name.trim();
  await rejectWeakPassword(chosen.password, { email, name });
  await deps.guard.take([passwordByLink(chosen.token, "unknown")]);
  const passwordHash = await deps.passwords.hash(chosen.password, "unknown");
  const now = deps.clock.now();
  const id = newId("per", now);
  try {
    return await deps.database.transaction(async (tx) => {
      await insertPerson(tx, { id, email, name, passwordHash, operator: false });
      const cookie = await createSession(tx, { person: id, secondFactor: false, browser, now });
      const actor = { id, session: null, name: email };
      const member = await join(deps, tx, chosen.token, actor, browser.ip);
      return { member, cookie, email };
    });
  } catch (error) {
    if (!violates(error, "people_email_unique")) throw error;
    throw signInFirst();
  }
}

function signInFirst(): ApiError {
  return new ApiError(
    "resource_already_exists",
    "A user with this email address already exists. Sign in, then accept the invitation.",
  );
}

async function join(
  { clock }: AcceptDeps,
  tx: Tx,
  token: string,
  actor: { id: PersonId; session: SignedIn["session"] | null; name: string },
  ip: string,
): Promise<Member> {
  const now = clock.now();
  const taken = await takeInvitation(tx, hashSecretText(token), now);
  if (!taken) throw invitationGone();
  const { account, role } = taken;
  const member = { id: newId("mem", now), account, person: actor.id, role };
  await insertMember(tx, member);
  const after = { person: actor.id, role, invitation: taken.id };
  const by = { kind: "person", ...actor } as const;
  const entry = { account, livemode: null, action: "member.joined", object: member.id } as const;
  await recordAuditEntry(tx, { ...entry, actor: by, after, ip }, clock);
  return member;
}

function invitationGone(): ApiError {
  return new ApiError(
    "link_invalid",
    "This invitation is incomplete, expired, already accepted or revoked. Ask the person who invited you for a new one.",
    { param: "token" },
  );
}
