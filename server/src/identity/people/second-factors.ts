import type { SecondFactor } from "@florin/contract/person.ts";

/** The factors that a person has in addition to the password. */
export type SecondFactors = {
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
};

/**
 * Returns whether the person has a second factor. A recovery code replaces a lost factor and is not a factor itself.
 */
export function hasSecondFactor({ totp, passkeys }: SecondFactors): boolean {
  return totp || passkeys > 0;
}

/** Returns the person's second factors, starting with the most convenient. */
export function availableFactors({
  totp,
  passkeys,
  recoveryCodesLeft,
}: SecondFactors): SecondFactor[] {
  const available: SecondFactor[] = [];
  if (passkeys > 0) available.push("passkey");
  if (totp) available.push("totp");
  if (recoveryCodesLeft > 0) available.push("recovery_code");
  return available;
}
