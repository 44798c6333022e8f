import type { PersonId } from "../../core/ids.ts";

/** A key pair in a person's device or password manager, of which we store the public key (WebAuthn). */
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

/** The purpose of a challenge. Its response is valid for no other. */
export type ChallengePurpose = "sign_in" | "register" | "reauthenticate";

/** Long enough to find the device. */
export const challengeTtlMs = 5 * 60_000;

export type RelyingParty = { readonly id: string; readonly origin: string; readonly name: string };

/** Returns the relying party. A passkey works only under the host name in the address bar, which prevents phishing. */
export function relyingParty(browserAddress: string): RelyingParty {
  return { id: new URL(browserAddress).hostname, origin: browserAddress, name: "Florin" };
}
