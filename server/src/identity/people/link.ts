import type { PersonId } from "../../core/ids.ts";

/** A link that authenticates its holder once. */
export type Link = { readonly expiresAt: Date } & (
  | { readonly purpose: "sign_up"; readonly email: string }
  | { readonly purpose: "reset_password"; readonly person: PersonId; readonly email: string }
  | { readonly purpose: "set_up_operator" }
);

export type LinkPurpose = Link["purpose"];

const minute = 60_000;
const hour = 60 * minute;

/**
 * The lifetime of each kind of link. A password reset is usually used immediately, and a sign-up by the next morning.
 */
export const linkTtlMs: Readonly<Record<LinkPurpose, number>> = {
  sign_up: 24 * hour,
  reset_password: 30 * minute,
  set_up_operator: 24 * hour,
};
