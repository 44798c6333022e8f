import Type, { type Static } from "typebox";

/** The category of an error. Clients branch on it and on the code. */
export type ErrorType =
  | "authentication_error"
  | "invalid_request_error"
  | "card_error"
  | "rate_limit_error"
  | "idempotency_error"
  | "api_error";

export type ErrorDescription = {
  readonly type: ErrorType;
  readonly status: number;
  readonly meaning: string;
  readonly whatToDo: string;
};

const authentication = (meaning: string, whatToDo: string) =>
  ({ type: "authentication_error", status: 401, meaning, whatToDo }) as const;
const invalid = <Status extends number = 400>(
  meaning: string,
  whatToDo: string,
  status: Status = 400 as Status,
) => ({ type: "invalid_request_error", status, meaning, whatToDo }) as const;
const card = (meaning: string, whatToDo: string) =>
  ({ type: "card_error", status: 402, meaning, whatToDo }) as const;
const rateLimit = (meaning: string, whatToDo: string) =>
  ({ type: "rate_limit_error", status: 429, meaning, whatToDo }) as const;
const fault = <Status extends number>(status: Status, meaning: string, whatToDo: string) =>
  ({ type: "api_error", status, meaning, whatToDo }) as const;

/**
 * Every `error.code` of the service. The documentation, the OpenAPI document and the server's errors are made from this
 * table, so a code that is not here cannot be sent.
 */
export const errorCodes = {
  api_key_missing: authentication(
    "The request has no Authorization header.",
    "Send `Authorization: Bearer` followed by your secret key.",
  ),
  api_key_malformed: authentication(
    "The Authorization header does not hold a key of this service: its form or its checksum is wrong.",
    "Copy the whole key again from the dashboard; a letter is missing or mistyped.",
  ),
  api_key_invalid: authentication(
    "The key has the right form, but no such key exists.",
    "Check that you talk to the right server and that the key is the one you meant.",
  ),
  api_key_revoked: authentication(
    "The key was revoked.",
    "Use a key that is still active, or make a new one in the dashboard.",
  ),
  api_key_expired: authentication(
    "The key was valid until a moment that has passed.",
    "Make a new key in the dashboard and put it in place of this one.",
  ),
  secret_key_required: authentication(
    "A publishable key was used where only a secret key may act.",
    "Call this endpoint from your server, with the secret key.",
  ),

  sign_in_required: authentication(
    "The browser has no session, or it has ended.",
    "Sign in, and send it again.",
  ),

  sign_in_failed: authentication(
    "The email address, the password or the second factor is not right.",
    "Try again, or choose a new password.",
  ),
  proof_invalid: invalid(
    "The password, the code or the passkey is not right, or was used before.",
    "Try again; a code of an authenticator app works once.",
  ),
  password_unsuitable: invalid(
    "The password is too short, has no letter or no digit, or is a common password.",
    "Choose a unique password of at least 12 characters with letters and digits.",
  ),
  link_invalid: invalid(
    "The link was used before, is too old, or is not whole.",
    "Ask for a new one.",
  ),
  owner_required: invalid(
    "The account would be left without an owner.",
    "Make somebody else an owner first.",
  ),
  invitation_for_another: invalid(
    "The invitation was sent to another address than the one that is signed in.",
    "Sign in with the address that was invited.",
  ),
  mail_not_configured: invalid(
    "The service has no way to send mail, and this needs one.",
    "Whoever runs the service sets `FLORIN_SMTP_URL`.",
  ),
  https_required: invalid(
    "People sign in over https only.",
    "Open the dashboard at its https address, or on the machine itself at `http://localhost`.",
  ),

  permission_denied: invalid(
    "The key, or the person's role in the team, does not have the permission that this needs.",
    "Use a key that has it, or ask an owner or admin of the account.",
    403,
  ),
  step_up_required: invalid(
    "The person has not proved who they are in the last ten minutes.",
    "Confirm with your password or passkey, and send it again.",
    403,
  ),
  own_account: invalid(
    "An operator tried to change an account whose team they belong to.",
    "Ask an operator who is not a member of the account's team.",
    403,
  ),
  second_operator_required: invalid(
    "The change needs a second operator, and the proposer cannot confirm it.",
    "Have another operator confirm the proposal in the operator console.",
    403,
  ),
  second_factor_required: invalid(
    "Live mode is open only to people who signed in with a second factor.",
    "Set up a passkey or an authenticator app, and sign in with it.",
    403,
  ),
  live_mode_required: invalid(
    "Test mode and live mode share the object to change, such as the team, and the account is approved.",
    "Switch to live mode, which requires a second factor, and send the request again.",
    403,
  ),
  cross_site_request: invalid(
    "The request carries a session, and does not come from the dashboard's own pages.",
    "From a server, use a secret key.",
    403,
  ),

  parameter_missing: invalid(
    "A required parameter is not there.",
    "Add the parameter that `param` names.",
  ),
  card_data_not_allowed: invalid(
    "A text, a name or the Idempotency-Key contains a card number or a security code.",
    "Remove it. Card data may be entered in the card form only. Use a payment method's id or the last four digits to identify a card.",
  ),
  parameter_unknown: invalid(
    "The request has a parameter that this endpoint does not know.",
    "Correct its spelling or leave it out; nothing is ever silently ignored.",
  ),
  parameter_invalid: invalid(
    "A parameter has a value that it cannot have.",
    "Send one of the values that the message and the reference name.",
  ),
  parameter_invalid_empty: invalid(
    "A list or an object is empty where something must be in it.",
    "Put at least one thing in it, or leave the parameter out.",
  ),
  parameter_invalid_integer: invalid(
    "A parameter must be a whole number and is something else.",
    "Send a JSON integer, without quotes, decimals or separators.",
  ),
  parameter_invalid_string_empty: invalid(
    "A text is empty where it must say something.",
    "Send a text, or leave the parameter out.",
  ),
  parameter_invalid_string_blank: invalid(
    "A text consists of nothing but white space.",
    "Send a text, or leave the parameter out.",
  ),
  parameters_exclusive: invalid(
    "Two parameters were sent that exclude each other.",
    "Send one of them.",
  ),
  invalid_characters: invalid(
    "A text holds characters that it may not hold.",
    "Leave out the characters that the message names.",
  ),
  body_invalid_json: invalid(
    "The body is not JSON, or says one thing twice, or holds a number that cannot be kept exactly.",
    "Send one JSON object in UTF-8, each name once, integers below 2^53.",
  ),
  body_too_complex: invalid(
    "The body nests deeper than 16 levels, or holds more than 5,000 members and elements.",
    "Send only the parameters that the reference names.",
  ),
  request_malformed: invalid(
    "The request is not well-formed HTTP, has not one valid Host header, or was cut off.",
    "Send it with an HTTP client instead of by hand, and whole; see what a proxy on the way does to it.",
  ),
  body_too_large: invalid(
    "The body is larger than 64 KiB, or the uploaded file larger than the reference allows.",
    "Send less: metadata and line items are for references, not for documents.",
    413,
  ),
  content_type_unsupported: invalid(
    "The body has a media type, charset or content encoding that the endpoint does not read.",
    "Send `Content-Type: application/json` in UTF-8, uncompressed. To upload a file, send one of the media types in the reference.",
    415,
  ),
  metadata_invalid: invalid(
    "The metadata are not at most 50 pairs of texts, keys to 40 and values to 500 characters.",
    "Shorten the pair that `param` names, or send its value as a text.",
  ),
  cursor_invalid: invalid(
    "A list was asked to begin at something that is no cursor of it.",
    "Use the id of an object that the same list gave you.",
  ),
  idempotency_key_invalid: invalid(
    "The Idempotency-Key is not 1 to 255 printable ASCII characters.",
    "Use a fresh UUID for each operation.",
  ),

  amount_too_small: invalid(
    "The amount is below the smallest that can be charged or paid out in this currency.",
    "The message names the smallest amount. The [currencies](currencies.md) list the defaults.",
  ),
  amount_too_large: invalid(
    "The amount is above the largest that can be charged or paid out in this currency.",
    "The message names the largest amount. The [currencies](currencies.md) list the defaults.",
  ),
  invalid_charge_amount: invalid(
    "The amount is zero or negative.",
    "Send a positive whole number of the currency's smallest unit.",
  ),
  currency_unsupported: invalid(
    "The currency is not one that this service charges in.",
    "Send a three-letter ISO 4217 code in lower case, such as `usd` or `eur`.",
  ),
  country_code_invalid: invalid(
    "The country is not an ISO 3166-1 code of two capital letters.",
    "Send a code such as `US` or `DE`.",
  ),
  email_invalid: invalid(
    "The text is not an email address.",
    "Send an address such as `ada@example.com`, or leave it out.",
  ),
  url_invalid: invalid(
    "The text is not a full http or https address.",
    "Send an absolute address such as `https://shop.example/thanks`.",
  ),

  resource_missing: invalid(
    "The id names nothing that this key can see: 404 in the path, 400 in a body or query.",
    "Check the id, and that the key is of the same account and mode as the object.",
  ),
  resource_already_exists: invalid(
    "Something with this identity is already there.",
    "Read or update the existing one.",
  ),
  endpoint_unknown: invalid(
    "There is no endpoint at this path.",
    "Compare the path with the reference; every path begins with `/api/v1`.",
    404,
  ),
  method_not_allowed: invalid(
    "The path exists, but not for this HTTP method.",
    "Use one of the methods in the `Allow` header.",
    405,
  ),
  resource_changed: invalid(
    "Somebody else changed the object in the meantime.",
    "Read it again, and decide on what it is now.",
  ),
  livemode_mismatch: invalid(
    "A test object was used in live mode, or a live one in test mode.",
    "Use a key and objects of one mode together.",
  ),

  testmode_charges_only: invalid(
    "The account may not charge real cards yet.",
    "Use the test key until live mode is approved.",
  ),
  account_not_approved: invalid(
    "The account waits for approval before it can do this.",
    "Finish the application in the dashboard.",
  ),
  application_incomplete: invalid(
    "The application for live mode lacks something.",
    "Read it: its `missing` lists every part that is still to be filled in.",
  ),
  account_suspended: invalid(
    "The operator has suspended the account's live mode.",
    "Read the reason in the dashboard, or contact the operator. Refunds and test mode still work.",
  ),
  account_closed: invalid("The account is closed.", "Contact support."),
  amount_over_account_limit: invalid(
    "The amount is larger than this account may charge at once.",
    "Charge less, or ask the operator to raise the account's limit.",
  ),
  payouts_not_allowed: invalid(
    "The account may not pay out.",
    "Finish the bank details in the dashboard, or contact support.",
  ),
  balance_insufficient: invalid(
    "The available balance is smaller than the amount.",
    "Wait until pending funds are available, or send a smaller amount.",
  ),
  connector_not_configured: invalid(
    "No acquirer is connected for charges of this account in this mode.",
    "Do not retry: the operator connects an acquirer first. `charges_enabled` of the account says when you can charge.",
  ),

  session_expired: invalid("The checkout session's time is over.", "Create a new session."),
  session_already_complete: invalid(
    "The checkout session was paid already.",
    "Read the session; its `charge_id` names the payment.",
  ),
  session_canceled: invalid("The checkout session was canceled.", "Create a new session."),
  session_in_progress: invalid(
    "A payment of this checkout session is under way.",
    "Wait for its outcome; do not start another.",
  ),

  session_max_cards: invalid(
    "The checkout session has reached its limit of card attempts.",
    "Create a new session.",
  ),
  payment_method_unexpected_state: invalid(
    "The payment method is not in a state that allows this.",
    "Read it, and use one that is attached and usable.",
  ),
  payment_method_not_available: invalid(
    "The payment method cannot be used any more: it was detached or used up.",
    "Collect the card again through a checkout session.",
  ),
  customer_max_payment_methods: invalid(
    "The customer has as many payment methods as one can have.",
    "Detach one first.",
  ),

  decision_expired: invalid(
    "The decision is older than its 30 minutes.",
    "Ask for a new decision, or charge without one.",
  ),
  decision_superseded: invalid(
    "A newer decision was asked for about the same payment method, amount, currency and customer.",
    "Charge with the newer decision.",
  ),
  decision_already_used: invalid(
    "Another charge has used the decision.",
    "Look for that charge first; ask for a new decision for a new charge.",
  ),
  decision_mismatch: invalid(
    "The decision was made for another amount, currency or payment method.",
    "Charge exactly what was decided on, or ask for a new decision.",
  ),
  decision_pending_review: invalid(
    "A person still has to look at the decision.",
    "Wait for the review, or ask for a new decision.",
  ),

  charge_already_refunded: invalid(
    "The whole charge was refunded before.",
    "Read the charge; nothing is left to refund.",
  ),
  capture_charge_authorization_expired: invalid(
    "The issuer no longer holds the money of this authorisation.",
    "Create a new charge.",
  ),
  amount_exceeds_capturable: invalid(
    "More was asked for than was authorised.",
    "Capture at most the charge's amount.",
  ),
  charge_not_refundable: invalid(
    "The charge took no money that could go back.",
    "Refund only a charge whose status is `succeeded`; cancel one that is `authorized`.",
  ),
  refund_amount_exceeds_captured: invalid(
    "All refunds together would exceed what was captured.",
    "Refund at most `amount_captured` less `amount_refunded`.",
  ),
  refund_disputed_payment: invalid(
    "The payment is disputed, so a refund might return the money twice.",
    "Accept the dispute if you want to give the money back.",
  ),
  status_transition_invalid: invalid(
    "The object's status does not allow this move.",
    "The message names the status it is in and the one it would need.",
  ),
  charge_outcome_pending: invalid(
    "The acquirer has not said yet what became of the charge.",
    "Wait for the event; do not charge again.",
  ),

  dispute_evidence_past_due: invalid(
    "The time for evidence is over.",
    "Nothing more can be handed in; wait for the outcome.",
  ),
  dispute_already_submitted: invalid(
    "Evidence was handed in before, and can be handed in once.",
    "Wait for the outcome.",
  ),
  dispute_closed: invalid("The dispute is decided.", "Read its status for the outcome."),

  card_declined: card(
    "The issuer, or a check of this service, refused the card.",
    "Read `decline_code`, and ask for another card where it says so.",
  ),
  expired_card: card("The card has expired.", "Ask for the new expiry date or another card."),
  incorrect_number: card("The card number is wrong.", "Let the customer type it again."),
  invalid_number: card(
    "The text is not a card number.",
    "Let the customer type it again: 12 to 19 digits.",
  ),
  incorrect_cvc: card("The issuer knows another security code.", "Let the customer type it again."),
  invalid_cvc: card(
    "The security code does not have the right number of digits.",
    "Let the customer type it again: 3 digits, 4 for American Express.",
  ),
  invalid_expiry_month: card(
    "The expiry month is not a month.",
    "Let the customer type it again: 1 to 12.",
  ),
  invalid_expiry_year: card("The expiry year cannot be one.", "Let the customer type it again."),
  incorrect_zip: card(
    "The postal code is not the one the issuer knows.",
    "Let the customer type it again.",
  ),
  incorrect_address: card(
    "The address is not the one the issuer knows.",
    "Let the customer correct it.",
  ),
  invalid_card_type: card("Cards of this kind are not accepted.", "Ask for another card."),
  processing_error: card(
    "Something failed at the issuer or the acquirer, and no money moved.",
    "Try again a little later.",
  ),
  authentication_required: card(
    "The issuer wants to see the cardholder.",
    "Bring the customer back and charge again with 3-D Secure.",
  ),
  authentication_failed: card(
    "The cardholder did not pass 3-D Secure.",
    "Let the customer try again or use another card.",
  ),
  authentication_canceled: card(
    "The cardholder broke off 3-D Secure.",
    "Let the customer try again.",
  ),
  authentication_timed_out: card(
    "3-D Secure was not finished in time.",
    "Let the customer try again.",
  ),
  card_decline_rate_limit_exceeded: card(
    "The card was declined too often in a short time.",
    "Do not try this card again for 24 hours.",
  ),
  blocked_by_decision: card(
    "A rule, a list or a review of yours, or the risk policy, declined the payment. Nothing was sent to the acquirer. The code is the same with and without a `decision_id`.",
    "Read the decision's `reasons`; do not tell the customer why.",
  ),

  rate_limit_exceeded: rateLimit(
    "The account sent too many requests in a short time.",
    "Wait as long as `Retry-After` says, then try with growing pauses.",
  ),
  concurrency_limit_exceeded: rateLimit(
    "Too many event streams are open at once, or too many reads of the account wait for one another.",
    "Close a stream or send fewer reads at the same time, or wait for the seconds in `Retry-After`.",
  ),
  sign_in_throttled: rateLimit(
    "There were too many failed tries to sign in.",
    "Wait for the seconds in `Retry-After`.",
  ),
  mail_limit_exceeded: rateLimit(
    "No more mail can be sent to this address, or for this account, today.",
    "Wait for the seconds in `Retry-After`.",
  ),
  endpoint_rate_limit_exceeded: rateLimit(
    "This endpoint has its own limit and was called too often in a short time, for example with card attempts or invalid keys from one network.",
    "Wait as long as `Retry-After` says, then try with growing pauses.",
  ),

  idempotency_key_in_use: {
    type: "idempotency_error",
    status: 422,
    meaning: "The Idempotency-Key already belongs to a request with another body, path or method.",
    whatToDo: "Send exactly the first request again, or choose a new key for a new operation.",
  },

  internal_error: fault(
    500,
    "A fault of this service.",
    "Send the same request again with the same Idempotency-Key; it is never done twice.",
  ),
  idempotency_request_in_progress: fault(
    503,
    "The first request with this Idempotency-Key is still running.",
    "Wait as long as `Retry-After` says and send it again with the same key, never with a new one.",
  ),
  service_overloaded: fault(
    503,
    "The service has more work than it can take at this moment.",
    "Wait as long as `Retry-After` says and send it again with the same Idempotency-Key.",
  ),
  service_unavailable: fault(
    503,
    "The service, or something it needs, is not there at this moment.",
    "Send the same request again a little later with the same Idempotency-Key.",
  ),
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errorCodes;

/** The codes of a `card_error`. */
export type CardErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["type"] extends "card_error" ? Code : never;
}[ErrorCode];

/** Returns the path of the reference that explains a code, for the `doc_url` of an error. */
export function errorDocPath(code: ErrorCode): string {
  return `/docs#error-${code}`;
}

const errorTypes: ErrorType[] = [
  "authentication_error",
  "invalid_request_error",
  "card_error",
  "rate_limit_error",
  "idempotency_error",
  "api_error",
];

/** The envelope of every error response. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object(
      {
        type: Type.Enum(errorTypes, { description: "Which kind of error it is. Branch on it." }),
        code: Type.Unsafe<ErrorCode>(
          Type.Enum(Object.keys(errorCodes), {
            description: "What exactly is wrong. Branch on it.",
          }),
        ),
        message: Type.String({
          description: "What was wrong, what was expected and what to do, for a person to read.",
        }),
        param: Type.Optional(
          Type.String({ description: "The parameter at fault, such as `line_items[0].amount`." }),
        ),
        decline_code: Type.Optional(
          Type.String({ description: "On a card error: why the card was declined." }),
        ),
        doc_url: Type.String({ description: "Where the reference explains the code." }),
        request_id: Type.String({
          description: "The request's id, also in the Request-Id header. Name it to support.",
        }),
        charge: Type.Optional(
          Type.String({ description: "On a decline: the id of the charge that failed." }),
        ),
        advice_code: Type.Optional(
          Type.Enum(["confirm_card_data", "try_again_later", "do_not_try_again"], {
            description: "On a decline: what the card network advises.",
          }),
        ),
        network_decline_code: Type.Optional(
          Type.String({ description: "On a decline: the network's own word for it." }),
        ),
      },
      { description: "What went wrong." },
    ),
  },
  { description: "The envelope of every error." },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;
