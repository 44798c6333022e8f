import type { ApiKeyId, PersonId, SessionId } from "./ids.ts";

/**
 * Who does something: a merchant's server by its key, a person of its team, the operator, or the service by itself.
 * The name is the key's, or the person's address; it is written down with what they did, for both may change.
 */
export type Actor =
  | { readonly kind: "api_key"; readonly id: ApiKeyId; readonly name: string }
  | {
      readonly kind: "person";
      readonly id: PersonId;
      /** Null when they were not signed in: their first act signs them in. */
      readonly session: SessionId | null;
      readonly name: string;
    }
  | { readonly kind: "operator"; readonly id: PersonId; readonly name: string }
  | { readonly kind: "service" };
