import type { ApiKeyId, PersonId, SessionId } from "./ids.ts";

/** Who does something: a merchant's server by its key, a person of its team, the operator, or the service by itself. */
export type Actor =
  | { readonly kind: "api_key"; readonly id: ApiKeyId }
  | { readonly kind: "person"; readonly id: PersonId; readonly session: SessionId }
  | { readonly kind: "operator"; readonly id: PersonId }
  | { readonly kind: "service" };
