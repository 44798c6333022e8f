import Type, { type Static } from "typebox";
import { accountStatuses } from "./account.ts";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { roleNames } from "./roles.ts";
import { properName, text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** What the dashboard says to `/auth/v1`, the door at which people prove who they are. */

const email = () => emailAddress("Your email address.");
const name = () => properName(200, "Your name, as your team sees it.");
/** Long enough for any sentence, short enough that hashing it costs nothing beside the hash itself. */
const password = () => Type.String({ minLength: 1, maxLength: 256, description: "Your password." });
const linkToken = () =>
  Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "What follows the # in the link." });
const code = (description: string) => text(64, description);

/** A link is asked for; what follows is done by whoever reads the address's mail. */
export const AskForMail = Type.Object({ email: email() }, { additionalProperties: false });
export type AskForMail = Static<typeof AskForMail>;

export const ReadLink = Type.Object({ token: linkToken() }, { additionalProperties: false });
export type ReadLink = Static<typeof ReadLink>;

export const CompleteSignUp = Type.Object(
  {
    token: linkToken(),
    name: name(),
    password: password(),
    merchant_name: properName(100, "What your customers call you."),
    country: countryCode("Where your business is"),
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
  totp_code: Type.Optional(code("The six digits that your authenticator app shows.")),
  recovery_code: Type.Optional(code("One of your recovery codes.")),
};

export const SignIn = Type.Object(
  { email: email(), password: password(), ...proofs },
  { additionalProperties: false },
);
export type SignIn = Static<typeof SignIn>;

/** The same for somebody who is signed in already. */
export const StepUp = Type.Object(
  { password: password(), ...proofs },
  { additionalProperties: false },
);
export type StepUp = Static<typeof StepUp>;

/** What the browser's `navigator.credentials` gave, as its `toJSON` writes it. The server's library reads the rest. */
export const PasskeyAnswer = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$", description: "The passkey's id." }),
  type: Type.Literal("public-key", { description: "Always `public-key`." }),
  response: Type.Object({
    clientDataJSON: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,8000}$",
      description: "What was signed, in base64url.",
    }),
  }),
});
export type PasskeyAnswer = Static<typeof PasskeyAnswer>;

export const SignInWithPasskey = Type.Object(
  { answer: PasskeyAnswer },
  { additionalProperties: false },
);
export type SignInWithPasskey = Static<typeof SignInWithPasskey>;

export const RegisterPasskey = Type.Object(
  { answer: PasskeyAnswer, name: text(100, "What you call it, such as `My phone`.") },
  { additionalProperties: false },
);
export type RegisterPasskey = Static<typeof RegisterPasskey>;

export const ConfirmTotp = Type.Object(
  { totp_code: code("The six digits that the app shows.") },
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

/** How a sign-in ended. A right password alone may not be enough. */
export type SignInResult =
  | { readonly object: "sign_in"; readonly status: "complete" }
  | {
      readonly object: "sign_in";
      readonly status: "second_factor_required";
      /** What the person has; a passkey signs in by itself. */
      readonly second_factors: readonly SecondFactor[];
    };

export const Membership = Type.Object({
  account: Type.Object({
    id: id("acct", "The account's id."),
    name: Type.String(),
    country: Type.String(),
    status: Type.Enum([...accountStatuses]),
  }),
  role: Type.Enum([...roleNames]),
});
export type Membership = Static<typeof Membership>;

/** Who is signed in, and where they may go. */
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
    /** Unix seconds of the last proof; dangerous acts want it to be less than ten minutes ago. */
    readonly proved_at: number;
    readonly expires_at: number;
  };
  readonly memberships: readonly Membership[];
};

/** What a link is for, before anybody uses it. */
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
  /** Such as "Firefox on Linux". */
  readonly browser: string;
};

export type PasskeyObject = {
  readonly object: "passkey";
  readonly id: string;
  readonly name: string;
  readonly created: number;
  readonly last_used: number | null;
};

/** The secret of an authenticator app, on its way there. */
export type TotpSecret = {
  readonly object: "totp_secret";
  readonly secret: string;
  readonly uri: string;
};

/** A second factor was added; with the first one come recovery codes, in this answer and nowhere else. */
export type FactorAddedObject = {
  readonly object: "second_factor";
  readonly recovery_codes: readonly string[] | null;
};

export type OutboxMail = {
  readonly object: "mail";
  readonly id: string;
  readonly created: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};
