import type { FastifyRequest } from "fastify";
import { createdAt, type PersonId, type SessionId } from "../../core/ids.ts";

/** The signed-in person of a request. */
export type SignedIn = {
  readonly session: SessionId;
  /** The hash of the token in this request. */
  readonly tokenHash: Buffer;
  readonly person: PersonId;
  readonly email: string;
  readonly name: string;
  /** True if the person used a second factor to sign in or to step up. */
  readonly secondFactor: boolean;
  /** The time of the last credential check, for operations that require a recent one. */
  readonly authenticatedAt: Date;
  readonly operator: boolean;
  /** The IP address of this request. */
  readonly ip: string;
};

/**
 * Returns the session identified by the request's cookie, or null without a cookie. Throws the 401 `sign_in_required`
 * if the session has ended.
 */
export type ReadSession = (request: FastifyRequest) => Promise<SignedIn | null>;

/** A session: a browser in which a person is signed in. */
export type Session = {
  readonly id: SessionId;
  readonly person: PersonId;
  readonly secondFactor: boolean;
  readonly authenticatedAt: Date;
  readonly lastSeenAt: Date;
  readonly ip: string;
  readonly userAgent: string;
};

const minute = 60_000;

/** The time without activity after which a session ends (OWASP ASVS 7.3). */
export const idleMs = 15 * minute;
/** The time after which a session ends even if it is active. */
const absoluteMs = 12 * 60 * minute;

/** The minimum time between writes of `lastSeenAt`, so that most requests do not write. */
export const seenEveryMs = minute;

export function isOver(session: Session, now: Date): boolean {
  return now >= expiresAt(session);
}

export function expiresAt({ id, lastSeenAt }: Session): Date {
  const idle = lastSeenAt.getTime() + idleMs;
  const absolute = createdAt(id).getTime() + absoluteMs;
  return new Date(Math.min(idle, absolute));
}
