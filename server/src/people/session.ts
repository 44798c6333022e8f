import type { FastifyRequest } from "fastify";
import type { PersonId, SessionId } from "../primitives/ids.ts";

/** A person whose browser holds a session that is open. */
export type SignedIn = {
  readonly session: SessionId;
  readonly person: PersonId;
  readonly email: string;
  readonly name: string;
  /** Whether this session was opened with a second factor. */
  readonly secondFactor: boolean;
  /** When they last proved who they are, with password and factor or with a passkey. */
  readonly provedAt: Date;
  readonly operator: boolean;
};

/** Null when the request carries no session; throws `sign_in_required` when the one it carries has ended. */
export type ReadSession = (request: FastifyRequest) => Promise<SignedIn | null>;
