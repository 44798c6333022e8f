import type { FastifyRequest } from "fastify";
import { createdAt, type PersonId, type SessionId } from "../primitives/ids.ts";

/** Who is asking, as the gates see it. */
export type SignedIn = {
  readonly session: SessionId;
  /** The hash of the token that the request came with. */
  readonly tokenHash: Buffer;
  readonly person: PersonId;
  readonly email: string;
  readonly name: string;
  /** Whether this session was opened or confirmed with a second factor. */
  readonly secondFactor: boolean;
  /** When the person last proved who they are, for acts that want it to be recent. */
  readonly provedAt: Date;
  readonly operator: boolean;
  /** The network address of this request. */
  readonly ip: string;
};

/** Whose session the request's cookie names; null without a cookie; the 401 `sign_in_required` for one that is over. */
export type ReadSession = (request: FastifyRequest) => Promise<SignedIn | null>;

/** One browser in which somebody is signed in. */
export type Session = {
  readonly id: SessionId;
  readonly person: PersonId;
  readonly secondFactor: boolean;
  readonly provedAt: Date;
  readonly lastSeenAt: Date;
  readonly ip: string;
  readonly userAgent: string;
};

const minute = 60_000;

/** A browser that was left alone, and one that never was, must sign in again (trust: Dashboard; OWASP ASVS 7.3). */
export const idleMs = 15 * minute;
const absoluteMs = 12 * 60 * minute;

/** Being seen is written down no oftener than this, so that reading costs no write. */
export const seenEveryMs = minute;

export function isOver(session: Session, now: Date): boolean {
  return now >= expiresAt(session);
}

export function expiresAt({ id, lastSeenAt }: Session): Date {
  const idle = lastSeenAt.getTime() + idleMs;
  const absolute = createdAt(id).getTime() + absoluteMs;
  return new Date(Math.min(idle, absolute));
}
