import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";

/**
 * The private API between the challenge document and the server, under the secret in the fragment of the document's
 * address, sent as a bearer token. It is not part of the public reference: the document is always served by the same
 * version.
 */

/** What only JavaScript can tell of a browser. All else is taken from the request itself. */
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

/** How large the document can show the bank: EMV 3DS's `challengeWindowSize`. */
export const ChallengeWindow = Type.Object(
  { window_size: Type.Enum(["01", "02", "03", "04", "05"]) },
  { additionalProperties: false },
);
export type ChallengeWindow = Static<typeof ChallengeWindow>;

/** Where the authentication stands, and so what the document does next. */
export const ChallengeStep = Type.Object({
  /**
   * `method`: post to the bank's hidden page, wait up to 10 s, then authenticate. `authenticate`: send what the
   * browser is. `challenge`: show the bank. `wait`: ask again soon. `done`: go back.
   */
  step: Type.Enum(["method", "authenticate", "challenge", "wait", "done"]),
  method: nullable(Type.Object({ url: Type.String(), data: Type.String() })),
  /** The bank's words for the cardholder; they must be shown. */
  cardholder_info: nullable(Type.String()),
  /** With `done`: whether the payment was made; null while the acquirer is asked. */
  passed: nullable(Type.Boolean()),
  /** The merchant's own address, to which the window navigates when the document is its top-level page. */
  return_url: nullable(Type.String()),
  /** The card form of the charge's session, for a document that was given the session's secret by it. */
  session_url: nullable(Type.String()),
});
export type ChallengeStep = Static<typeof ChallengeStep>;

/** What is posted to the bank's page. Where there is nothing to post any more, the answer is 404. */
export const ChallengeForm = Type.Object({
  action: Type.String(),
  creq: Type.String(),
  three_ds_session_data: Type.String(),
});
export type ChallengeForm = Static<typeof ChallengeForm>;
