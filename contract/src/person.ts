import Type, { type Static, type TSchema } from "typebox";
import { accountStatuses } from "./account.ts";
import { countryCode } from "./country.ts";
import { id } from "./ids.ts";
import { nullable } from "./nullable.ts";
import { roleNames } from "./roles.ts";
import { properName, text } from "./text.ts";
import { emailAddress } from "./web-address.ts";

/** The private API of the dashboard for sign-in and personal settings, `/auth/v1`. */

const email = () => emailAddress("Your email address.");
const name = () => properName(200, "Your name, as your team sees it.");
/** The maximum length allows any passphrase, and is short enough that it does not slow down hashing. */
const password = () => Type.String({ minLength: 1, maxLength: 256, description: "Your password." });
/**
 * Accepts truncated tokens too. If an email client cut off a link, the server then rejects it like an expired link, and
 * the page explains how to get a new one.
 */
export const linkToken = () =>
  Type.String({ pattern: "^[!-~]{1,200}$", description: "Text after the # in the link." });
const code = (description: string) => text(64, description);

/** Requests an email with a link. Only the owner of the mailbox can continue. */
export const RequestEmail = Type.Object({ email: email() }, { additionalProperties: false });
export type RequestEmail = Static<typeof RequestEmail>;

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

const secondFactorCodes = {
  totp_code: Type.Optional(code("Six-digit code of your authenticator app.")),
  recovery_code: Type.Optional(code("One of your recovery codes.")),
};

export const SignIn = Type.Object(
  { email: email(), password: password(), ...secondFactorCodes },
  { additionalProperties: false },
);
export type SignIn = Static<typeof SignIn>;

/** A step-up, in which a signed-in person proves their identity again. */
export const StepUp = Type.Object(
  { password: password(), ...secondFactorCodes },
  { additionalProperties: false },
);
export type StepUp = Static<typeof StepUp>;

/**
 * The result of the browser's `navigator.credentials`, serialized with `toJSON`. The schema names only a few fields.
 * The server's WebAuthn library validates the others.
 */
export const PasskeyCredential = Type.Object({
  id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$", description: "ID of the passkey." }),
  type: Type.Literal("public-key", { description: "Always `public-key`." }),
  response: Type.Object({
    clientDataJSON: Type.String({
      pattern: "^[A-Za-z0-9_-]{1,8000}$",
      description: "Signed data, in base64url.",
    }),
  }),
});
export type PasskeyCredential = Static<typeof PasskeyCredential>;

export const SignInWithPasskey = Type.Object(
  { credential: PasskeyCredential },
  { additionalProperties: false },
);
export type SignInWithPasskey = Static<typeof SignInWithPasskey>;

export const RegisterPasskey = Type.Object(
  {
    credential: PasskeyCredential,
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

export const secondFactors = ["totp", "passkey", "recovery_code"] as const;
export type SecondFactor = (typeof secondFactors)[number];

const object = <const Name extends string>(name: Name) => Type.Literal(name);
const time = () => Type.Integer();

/** The result of a sign-in. A second factor may be required after a correct password. */
export const SignInResult = Type.Union([
  Type.Object({ object: object("sign_in"), status: Type.Literal("complete") }),
  Type.Object({
    object: object("sign_in"),
    status: Type.Literal("second_factor_required"),
    /** The person's second factors. A passkey needs no password. */
    second_factors: Type.Array(Type.Enum([...secondFactors])),
  }),
]);
export type SignInResult = Static<typeof SignInResult>;

export const Membership = Type.Object({
  account: Type.Object({
    id: id("acct", "ID of the account."),
    name: Type.String(),
    country: Type.String(),
    status: Type.Enum([...accountStatuses]),
    time_zone: nullable(Type.String()),
  }),
  role: Type.Enum([...roleNames]),
});
export type Membership = Static<typeof Membership>;
/** The signed-in person, with their accounts. */
export const Me = Type.Object({
  object: object("person"),
  id: id("per", "ID of the person."),
  email: Type.String(),
  name: Type.String(),
  operator: Type.Boolean(),
  second_factors: Type.Object({
    totp: Type.Boolean(),
    passkeys: Type.Integer(),
    recovery_codes_left: Type.Integer(),
  }),
  session: Type.Object({
    id: Type.String(),
    second_factor: Type.Boolean(),
    /**
     * Unix seconds of the last sign-in or step-up. Sensitive operations require a sign-in or step-up within the last
     * ten minutes.
     */
    authenticated_at: time(),
    expires_at: time(),
  }),
  memberships: Type.Array(Membership),
});
export type Me = Static<typeof Me>;

/** The purpose of a link, before it is used. */
export const EmailLink = Type.Object({
  object: object("link"),
  purpose: Type.Enum(["sign_up", "reset_password", "set_up_operator"]),
  email: nullable(Type.String()),
});
export type EmailLink = Static<typeof EmailLink>;

export const SignInSession = Type.Object({
  object: object("session"),
  id: Type.String(),
  current: Type.Boolean(),
  created: time(),
  last_seen: time(),
  ip: Type.String(),
  /** The browser and its system, for example "Firefox on Linux". */
  browser: Type.String(),
});
export type SignInSession = Static<typeof SignInSession>;

export const PasskeyObject = Type.Object({
  object: object("passkey"),
  id: Type.String(),
  name: Type.String(),
  created: time(),
  last_used: nullable(time()),
});
export type PasskeyObject = Static<typeof PasskeyObject>;

/** Options for `navigator.credentials`, as created by the server's WebAuthn library. */
export const PasskeyOptions = Type.Object(
  { challenge: Type.String() },
  { additionalProperties: true },
);

/** The secret of an authenticator app during its setup. */
export const TotpSecret = Type.Object({
  object: object("totp_secret"),
  secret: Type.String(),
  uri: Type.String(),
});
export type TotpSecret = Static<typeof TotpSecret>;

/** A new second factor. The first one comes with recovery codes, which only this response contains. */
export const FactorAddedObject = Type.Object({
  object: object("second_factor"),
  recovery_codes: nullable(Type.Array(Type.String())),
});
export type FactorAddedObject = Static<typeof FactorAddedObject>;

export const RecoveryCodes = Type.Object({
  object: object("recovery_codes"),
  recovery_codes: Type.Array(Type.String()),
});

/** The new status of a password, session or email after a request, such as `changed`, `renewed` or `sent`. */
export const statusOf = <const Name extends string, const Status extends string>(
  name: Name,
  status: Status,
) => Type.Object({ object: object(name), status: Type.Literal(status) });

export const SessionEnded = Type.Object({
  object: object("session"),
  deleted: Type.Literal(true),
  id: Type.Optional(Type.String()),
});

export const SessionsEnded = Type.Object({ object: object("sessions"), ended: Type.Integer() });

export const FactorRemoved = Type.Object({
  object: Type.Enum(["passkey", "totp_secret"]),
  deleted: Type.Literal(true),
  id: Type.Optional(Type.String()),
});

/** A list of all objects of a kind, without pagination. */
export const wholeListOf = <Schema extends TSchema>(schema: Schema) =>
  Type.Object({ object: object("list"), data: Type.Array(schema) });

/** The properties of the service that its pages read before sign-in. */
export const ServiceObject = Type.Object({
  object: object("service"),
  /** True if this browser can open the demo inbox with the link that the server printed when it last started. */
  demo_inbox: Type.Boolean(),
  /** True if the service has a mail server. If false, no email is sent, and the demo inbox shows the emails instead. */
  sends_email: Type.Boolean(),
  /** The environment of the acquirers that live mode uses. */
  acquirers: Type.Enum(["live", "sandbox"]),
});
export type ServiceObject = Static<typeof ServiceObject>;

export const InboxEmail = Type.Object({
  object: object("mail"),
  id: Type.String(),
  created: time(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
});
export type InboxEmail = Static<typeof InboxEmail>;
