import Type, { type Static } from "typebox";
import { accountStatuses } from "./account.ts";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { roleNames } from "./roles.ts";
import { properName, text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** The private API of the dashboard for sign-in and personal settings, `/auth/v1`. */

const email = () => emailAddress("Your email address.");
const name = () => properName(200, "Your name, as your team sees it.");
/** Long enough for any sentence, and short enough that its length adds nothing to the cost of hashing. */
const password = () => Type.String({ minLength: 1, maxLength: 256, description: "Your password." });
const linkToken = () =>
  Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "Text after the # in the link." });
const code = (description: string) => text(64, description);

/** Requests a mail with a link. Only the reader of the mailbox can continue. */
export const AskForMail = Type.Object({ email: email() }, { additionalProperties: false });
export type AskForMail = Static<typeof AskForMail>;

export const ReadLink = Type.Object({ token: linkToken() }, { additionalProperties: false });
export type ReadLink = Static<typeof ReadLink>;

export const CompleteSignUp = Type.Object(
  {
    token: linkToken(),
    name: name(),
    password: password(),
    merchant_name: properName(100, "Name of your business, as customers see it."),
    country: countryCode("Country of your business"),
  },
  { additionalProperties: false },
);
export type CompleteSignUp = Static<typeof CompleteSignUp>;

export const ResetPassword = Type.Object(
  { token: linkToken(), password: password() },
  { additionalProperties: false },
);
export type ResetPassword = Static<typeof ResetPassword>;

const proofs = {
  totp_code: Type.Optional(code("Six-digit code of your authenticator app.")),
  recovery_code: Type.Optional(code("One of your recovery codes.")),
};

export const SignIn = Type.Object(
  { email: email(), password: password(), ...proofs },
  { additionalProperties: false },
);
export type SignIn = Static<typeof SignIn>;

/** A step-up of a person who is signed in. */
export const StepUp = Type.Object(
  { password: password(), ...proofs },
  { additionalProperties: false },
);
export type StepUp = Static<typeof StepUp>;

/**
 * The result of the browser's `navigator.credentials` as its `toJSON` writes it. The server's library reads the rest.
 */
export const PasskeyResponse = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$", description: "ID of the passkey." }),
  type: Type.Literal("public-key", { description: "Always `public-key`." }),
  response: Type.Object({
    clientDataJSON: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,8000}$",
      description: "Signed data, in base64url.",
    }),
  }),
});
export type PasskeyResponse = Static<typeof PasskeyResponse>;

export const SignInWithPasskey = Type.Object(
  { answer: PasskeyResponse },
  { additionalProperties: false },
);
export type SignInWithPasskey = Static<typeof SignInWithPasskey>;

export const RegisterPasskey = Type.Object(
  {
    answer: PasskeyResponse,
    name: text(100, "Your name for the passkey or app, such as `My phone`."),
  },
  { additionalProperties: false },
);
export type RegisterPasskey = Static<typeof RegisterPasskey>;

export const ConfirmTotp = Type.Object(
  { totp_code: code("Six-digit code of the app.") },
  { additionalProperties: false },
);
export type ConfirmTotp = Static<typeof ConfirmTotp>;

export const SetUpOperator = Type.Object(
  { token: linkToken(), email: email(), name: name(), password: password() },
  { additionalProperties: false },
);
export type SetUpOperator = Static<typeof SetUpOperator>;

export const ChangePassword = Type.Object(
  { password: password() },
  { additionalProperties: false },
);
export type ChangePassword = Static<typeof ChangePassword>;

export type SecondFactor = "totp" | "passkey" | "recovery_code";

/** The result of a sign-in. A correct password may not be enough. */
export type SignInResult =
  | { readonly object: "sign_in"; readonly status: "complete" }
  | {
      readonly object: "sign_in";
      readonly status: "second_factor_required";
      /** The person's second factors. A passkey needs no password. */
      readonly second_factors: readonly SecondFactor[];
    };

export const Membership = Type.Object({
  account: Type.Object({
    id: id("acct", "ID of the account."),
    name: Type.String(),
    country: Type.String(),
    status: Type.Enum([...accountStatuses]),
  }),
  role: Type.Enum([...roleNames]),
});
export type Membership = Static<typeof Membership>;

/** The signed-in person, with their accounts. */
export type Me = {
  readonly object: "person";
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly operator: boolean;
  readonly second_factors: {
    readonly totp: boolean;
    readonly passkeys: number;
    readonly recovery_codes_left: number;
  };
  readonly session: {
    readonly id: string;
    readonly second_factor: boolean;
    /** Unix seconds of the last step-up. Sensitive operations require it within the last ten minutes. */
    readonly proved_at: number;
    readonly expires_at: number;
  };
  readonly memberships: readonly Membership[];
};

/** The purpose of a link, before it is used. */
export type LinkFacts = {
  readonly object: "link";
  readonly purpose: "sign_up" | "reset_password" | "set_up_operator";
  readonly email: string | null;
};

export type SignInSession = {
  readonly object: "session";
  readonly id: string;
  readonly current: boolean;
  readonly created: number;
  readonly last_seen: number;
  readonly ip: string;
  /** For example "Firefox on Linux". */
  readonly browser: string;
};

export type PasskeyObject = {
  readonly object: "passkey";
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly last_used: number | null;
};

/** The secret of an authenticator app during its setup. */
export type TotpSecret = {
  readonly object: "totp_secret";
  readonly secret: string;
  readonly uri: string;
};

/** A new second factor. The first one comes with recovery codes, which only this response contains. */
export type FactorAddedObject = {
  readonly object: "second_factor";
  readonly recovery_codes: readonly string[] | null;
};

/** Facts about the service that its pages need before anybody signs in. */
export type ServiceFacts = {
  readonly object: "service";
  /** True if this browser can read the sent emails with the link that was printed when the server started. */
  readonly demo_outbox: boolean;
};

export type OutboxMail = {
  readonly object: "mail";
  readonly id: string;
  readonly created: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};
