import type { ApiKeyId, PersonId, SessionId } from "./ids.ts";

/**
 * The author of an action: an API key, a member of the merchant's team, an operator, or the service. `name` is the
 * key's name or the person's email address. The name is stored with the action, because it may change later.
 */
export type Actor =
  | { readonly kind: "api_key"; readonly id: ApiKeyId; readonly name: string }
  | {
      readonly kind: "person";
      readonly id: PersonId;
      /** Null if the person is not signed in yet, as for a sign-in or a password reset. */
      readonly session: SessionId | null;
      readonly name: string;
    }
  | { readonly kind: "operator"; readonly id: PersonId; readonly name: string }
  | { readonly kind: "service" };
