import {
  ChangePassword,
  ConfirmTotp,
  FactorAddedObject,
  FactorRemoved,
  type PasskeyObject,
  PasskeyOptions,
  RecoveryCodes,
  RegisterPasskey,
  statusOf,
  TotpSecret,
} from "@florin/contract/person.ts";
import { noSuch } from "../../core/api-error.ts";
import { unixSeconds } from "../../core/clock.ts";
import {
  type BrowserResponse,
  type BrowserRoute,
  browserRoute,
} from "../../platform/http/browser-routes.ts";
import { created, ok } from "../../platform/http/route.ts";
import type { FactorAdded } from "./add-factor.ts";
import { changePassword } from "./change-password.ts";
import { beginTotp, finishTotp } from "./enrol-totp.ts";
import { renewRecoveryCodes } from "./issue-recovery-codes.ts";
import { deletePasskey } from "./passkey.sql.ts";
import type { Passkey } from "./passkey.ts";
import type { PeopleDeps } from "./people-deps.ts";
import { createPasskeyRegistration, registerPasskey } from "./register-passkey.ts";
import { removeFactor } from "./remove-factor.ts";
import type { SignedIn } from "./session.ts";
import { deleteTotp } from "./totp.sql.ts";

/**
 * Routes for a person's credentials. All require a recent step-up, so that a passer-by at an unattended browser cannot
 * lock the signed-in person out.
 */
export function credentialRoutes(deps: PeopleDeps): BrowserRoute<SignedIn>[] {
  const route = browserRoute<SignedIn>();
  return [
    route({
      method: "POST",
      path: "/password",
      body: ChangePassword,
      response: statusOf("password", "changed"),
      async handle({ caller, body }) {
        const cookie = await changePassword(deps, caller, body.password);
        return { ...ok({ object: "password", status: "changed" }), cookie };
      },
    }),
    route({
      method: "POST",
      path: "/totp",
      response: TotpSecret,
      async handle({ caller }) {
        const secret: TotpSecret = { object: "totp_secret", ...(await beginTotp(deps, caller)) };
        return created(secret);
      },
    }),
    route({
      method: "POST",
      path: "/totp/confirm",
      body: ConfirmTotp,
      response: FactorAddedObject,
      handle: async ({ caller, body }) =>
        factorAdded(await finishTotp(deps, caller, body.totp_code)),
    }),
    route({
      method: "DELETE",
      path: "/totp",
      response: FactorRemoved,
      async handle({ caller }) {
        const news = "The authenticator app was removed from your account";
        const removed = await removeFactor(
          deps,
          caller,
          { kind: "authenticator_app", news },
          (tx) => deleteTotp(tx, caller.person),
        );
        if (!removed) throw noSuch("authenticator app", "totp");
        return ok({ object: "totp_secret", deleted: true });
      },
    }),
    route({
      method: "POST",
      path: "/passkeys/register_options",
      response: PasskeyOptions,
      handle: async ({ caller }) => ok(await createPasskeyRegistration(deps, caller)),
    }),
    route({
      method: "POST",
      path: "/passkeys",
      body: RegisterPasskey,
      response: FactorAddedObject,
      handle: async ({ caller, body }) => factorAdded(await registerPasskey(deps, caller, body)),
    }),
    route({
      method: "DELETE",
      path: "/passkeys/:id",
      response: FactorRemoved,
      async handle({ caller, params }) {
        const id = params.id ?? "";
        const news = "A passkey was removed from your account";
        const removed = await removeFactor(deps, caller, { kind: "passkey", news }, (tx) =>
          deletePasskey(tx, caller.person, Buffer.from(id, "base64url")),
        );
        if (!removed) throw noSuch("passkey", id);
        return ok({ id, object: "passkey", deleted: true });
      },
    }),
    route({
      method: "POST",
      path: "/recovery_codes",
      response: RecoveryCodes,
      async handle({ caller }) {
        const codes = await renewRecoveryCodes(deps, caller);
        return created({ object: "recovery_codes", recovery_codes: codes });
      },
    }),
  ];
}

function factorAdded({ cookie, recoveryCodes }: FactorAdded): BrowserResponse {
  const added: FactorAddedObject = {
    object: "second_factor",
    recovery_codes: recoveryCodes && [...recoveryCodes],
  };
  return { ...created(added), cookie };
}

export function passkeyObject(passkey: Passkey): PasskeyObject {
  return {
    object: "passkey",
    id: passkey.credentialId.toString("base64url"),
    name: passkey.name,
    created: unixSeconds(passkey.createdAt),
    last_used: passkey.lastUsedAt && unixSeconds(passkey.lastUsedAt),
  };
}
