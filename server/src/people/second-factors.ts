import type { SecondFactor } from "@florin/contract/person.ts";

/** What a person has beside their password. */
export type SecondFactors = {
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
};

/** A recovery code stands in for a lost factor, and is none by itself. */
export function hasSecondFactor({ totp, passkeys }: SecondFactors): boolean {
  return totp || passkeys > 0;
}

/** Most convenient first. */
export function waysIn({ totp, passkeys, recoveryCodesLeft }: SecondFactors): SecondFactor[] {
  const ways: SecondFactor[] = [];
  if (passkeys > 0) ways.push("passkey");
  if (totp) ways.push("totp");
  if (recoveryCodesLeft > 0) ways.push("recovery_code");
  return ways;
}
