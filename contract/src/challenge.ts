import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";

/**
 * The private API between the challenge document and the server. Its secret is in the fragment of the document's URL
 * and is sent as a bearer token. It is not in the public reference, because the server always serves the matching
 * document.
 */

/**
 * The properties of a browser that only JavaScript can read. The server reads the other properties from the request.
 */
export const BrowserScreen = Type.Object(
  {
    color_depth: Type.Integer({ minimum: 0, maximum: 1024 }),
    screen_height: Type.Integer({ minimum: 0, maximum: 999_999 }),
    screen_width: Type.Integer({ minimum: 0, maximum: 999_999 }),
    /** `Date.prototype.getTimezoneOffset()`: minutes, positive west of Greenwich. */
    time_zone: Type.Integer({ minimum: -1440, maximum: 1440 }),
    language: Type.String({ minLength: 1, maxLength: 35 }),
    java_enabled: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type BrowserScreen = Static<typeof BrowserScreen>;

/** The space that the document has for the issuer's page: EMV 3DS `challengeWindowSize`. */
export const ChallengeWindow = Type.Object(
  { window_size: Type.Enum(["01", "02", "03", "04", "05"]) },
  { additionalProperties: false },
);
export type ChallengeWindow = Static<typeof ChallengeWindow>;

/** The state of the authentication, which determines the document's next step. */
export const ChallengeStep = Type.Object({
  /**
   * `method`: post to the issuer's hidden page, wait up to 10 s, then authenticate. `authenticate`: send the browser's
   * properties. `challenge`: show the issuer's page. `wait`: poll again soon. `done`: return.
   */
  step: Type.Enum(["method", "authenticate", "challenge", "wait", "done"]),
  method: nullable(Type.Object({ url: Type.String(), data: Type.String() })),
  /** The issuer's text for the cardholder, which must be displayed (EMV 3DS `cardholderInfo`). */
  cardholder_info: nullable(Type.String()),
  /** With `done`: whether the payment succeeded. Null while the acquirer's response is pending. */
  passed: nullable(Type.Boolean()),
  /** The merchant's URL, to which the challenge document navigates if the document is the top-level page. */
  return_url: nullable(Type.String()),
  /** The URL of the session's card form. Null unless the card form has given the document the session's secret. */
  session_url: nullable(Type.String()),
});
export type ChallengeStep = Static<typeof ChallengeStep>;

/** The request that opens the issuer's or acquirer's page. The response is 404 when no page is pending. */
export const ChallengeForm = Type.Object({
  url: Type.String(),
  method: Type.Enum(["GET", "POST"]),
  /** The form fields of a POST: with EMV 3-D Secure, `creq` and `threeDSSessionData`. */
  fields: Type.Record(Type.String(), Type.String()),
});
export type ChallengeForm = Static<typeof ChallengeForm>;
