import { Secret, TOTP } from "otpauth";
import type { TestPerson } from "./person.ts";
import type { Shop } from "./shop.ts";

/** An authenticator app with a person's secret. Its codes follow the shop's clock. */
export type AuthenticatorApp = {
  readonly secret: string;
  code(): string;
  readonly recoveryCodes: readonly string[];
};

export async function addAuthenticatorApp(
  shop: Shop,
  person: TestPerson,
): Promise<AuthenticatorApp> {
  const started = await person.send("POST", "/auth/v1/totp");
  const totp = new TOTP({ secret: Secret.fromBase32(started.body.secret) });
  const code = () => totp.generate({ timestamp: shop.clock.now().getTime() });
  const added = await person.send("POST", "/auth/v1/totp/confirm", { totp_code: code() });
  return { secret: started.body.secret, code, recoveryCodes: added.body.recovery_codes };
}
