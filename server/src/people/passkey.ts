import type { PersonId } from "../primitives/ids.ts";

/** A key pair in somebody's device or password manager, of which we have the public half (WebAuthn). */
export type Passkey = {
  readonly credentialId: Buffer;
  readonly person: PersonId;
  readonly name: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};

/** What a challenge was made for; its answer is good for nothing else. */
export type ChallengePurpose = "sign_in" | "register" | "prove";

/** Long enough to find the device. */
export const challengeLivesMs = 5 * 60_000;

export type RelyingParty = { readonly id: string; readonly origin: string; readonly name: string };

/** A passkey belongs to the name in the address bar, and works under no other: nobody can be lured elsewhere with it. */
export function relyingParty(browserAddress: string): RelyingParty {
  return { id: new URL(browserAddress).hostname, origin: browserAddress, name: "Florin" };
}
