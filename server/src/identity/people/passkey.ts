import type { PersonId } from "../../core/ids.ts";

/** The public part of a passkey (WebAuthn). The private key is in the person's device or password manager. */
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

/** The purpose of a challenge. A response is valid only for the purpose of its challenge. */
export type ChallengePurpose = "sign_in" | "register" | "reauthenticate";

/** The lifetime of a challenge. It gives the person time to find the device. */
export const challengeTtlMs = 5 * 60_000;

export type RelyingParty = { readonly id: string; readonly origin: string; readonly name: string };

/** Returns the relying party. A passkey works only under the host name in the address bar, which prevents phishing. */
export function relyingParty(browserAddress: string): RelyingParty {
  return { id: new URL(browserAddress).hostname, origin: browserAddress, name: "Florin" };
}
