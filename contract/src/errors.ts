import Type, { type Static } from "typebox";

/** The category of an error. Clients branch on the category and on the code. */
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
 * Every `error.code` of the service. The documentation, the OpenAPI document and the types of the server's errors are
 * generated from this table, so the server can return no other code.
 */
export const errorCodes = {
  api_key_missing: authentication(
    "The request has no Authorization header.",
    "Send `Authorization: Bearer` followed by your secret key.",
  ),
  api_key_malformed: authentication(
    "The Authorization header does not contain a well-formed key: the format or the checksum is wrong, or the header is repeated.",
    "Send one Authorization header. Copy the whole key again, or create a new key in the dashboard. A character may be missing or mistyped.",
  ),
  api_key_invalid: authentication(
    "The key has the right format but does not exist.",
    "Check that the request goes to the right server and that the key is the intended one.",
  ),
  api_key_revoked: authentication(
    "The key was revoked.",
    "Use an active key, or create a new one in the dashboard.",
  ),
  api_key_expired: authentication(
    "The key has expired.",
    "Create a new key in the dashboard and replace this one.",
  ),
  secret_key_required: authentication(
    "The endpoint requires a secret key, but the request has a publishable key.",
    "Call this endpoint from your server with the secret key.",
  ),

  sign_in_required: authentication(
    "The browser has no session, or its session has ended.",
    "Sign in and send the request again.",
  ),

  sign_in_failed: authentication(
    "The email address, the password, the verification code or the passkey is incorrect.",
    "Try again, or reset the password.",
  ),
  credentials_invalid: invalid(
    "The password, code or passkey is incorrect, or the code was already used.",
    "Try again. Each authenticator app code works once.",
  ),
  notification_signature_invalid: authentication(
    "The signature of an acquirer's notification is not valid or too old.",
    "Make sure that the acquirer's webhook and the connection have the same signing key, and that the server's clock is correct.",
  ),
  password_unsuitable: invalid(
    "The password is too short, has no letter or no digit, or is a common password.",
    "Choose a unique password of at least 12 characters with letters and digits.",
  ),
  link_invalid: invalid(
    "The link is incomplete, expired or already used.",
    "Request a new link. If the link is an invitation, ask the person who invited you for a new one.",
  ),
  owner_required: invalid(
    "The change would leave the account without an owner.",
    "Make another member an owner first.",
  ),
  invitation_for_another: invalid(
    "The invitation was sent to an email address other than the signed-in user's.",
    "Sign in with the invited address.",
  ),
  mail_not_configured: invalid(
    "The request requires email, but no mail server is configured.",
    "Ask the operator to set `FLORIN_SMTP_URL`.",
  ),
  https_required: invalid(
    "Sign-in requires HTTPS.",
    "Open the dashboard at its `https://` address, or at `http://localhost` on the computer that runs Florin.",
  ),

  permission_denied: invalid(
    "The key, or the person's role in the team, does not have the permission that the endpoint requires.",
    "Use a key with the permission, or ask an owner or admin of the account to change your role.",
    403,
  ),
  step_up_required: invalid(
    "The endpoint requires that you have signed in or reauthenticated within the last ten minutes.",
    "Reauthenticate with your password or passkey, and send the request again.",
    403,
  ),
  own_account: invalid(
    "Operators cannot change an account whose team they belong to.",
    "Ask an operator who is not a member of the account's team.",
    403,
  ),
  second_operator_required: invalid(
    "A second operator, who is not the proposer, must confirm the change.",
    "Have another operator confirm the proposal in the admin console.",
    403,
  ),
  second_factor_required: invalid(
    "Live mode requires two-step verification.",
    "Set up a passkey or an authenticator app, and sign in with it.",
    403,
  ),
  live_mode_required: invalid(
    "The object, such as the team, is shared by test mode and live mode. After the account is approved for live mode, you can change the object only in live mode.",
    "Switch to live mode, which requires two-step verification, and send the request again.",
    403,
  ),
  cross_site_request: invalid(
    "A request with a browser's session was not sent from a page of the dashboard or the admin console.",
    "Use a secret key and `/api/v1` for requests from a server.",
    403,
  ),

  parameter_missing: invalid("A required parameter is missing.", "Add the parameter in `param`."),
  card_data_not_allowed: invalid(
    "A free-text parameter, the name of a JSON member, or the `Idempotency-Key` header contains a card number or security code.",
    "Remove the card data. Card data may be entered only in the card form. Identify a card by its payment method ID or its last four digits.",
  ),
  parameter_unknown: invalid(
    "The endpoint has no such parameter.",
    "Correct the spelling or remove the parameter. Unknown parameters are never ignored.",
  ),
  parameter_invalid: invalid(
    "The value of a parameter is not allowed.",
    "Send a value that the message and the reference allow.",
  ),
  parameter_invalid_empty: invalid(
    "A list is empty.",
    "Add at least one entry. You can also leave the parameter out if it is optional.",
  ),
  parameter_invalid_integer: invalid(
    "A parameter is not an integer.",
    "Send a JSON integer, without quotes, decimals or separators.",
  ),
  parameter_invalid_string_empty: invalid(
    "A string is empty.",
    "Send a string with at least one character. You can also leave the parameter out if it is optional.",
  ),
  parameter_invalid_string_blank: invalid(
    "A string contains only white space or invisible characters.",
    "Send a string with at least one visible character. You can also leave the parameter out if it is optional.",
  ),
  parameters_exclusive: invalid(
    "The request has two parameters that cannot be used together.",
    "Send only one of them.",
  ),
  invalid_characters: invalid(
    "A string contains a character that is not allowed.",
    "Remove the characters that the message names.",
  ),
  body_invalid_json: invalid(
    "The body is not valid JSON, has a duplicate key, or contains a number that cannot be stored exactly.",
    "Send one JSON object in UTF-8 with unique keys and integers below 2^53.",
  ),
  body_too_complex: invalid(
    "The body has more than 16 levels of nesting or more than 5,000 members and elements.",
    "Send only the parameters in the reference.",
  ),
  request_malformed: invalid(
    "The request is not well-formed HTTP, is incomplete, has headers of more than 16 KiB, or does not have exactly one valid Host header. The HTTP status is 431 for headers that are too large, and 400 otherwise.",
    "Correct the part of the request that the message names. Use an HTTP client library. If the request goes through a proxy, check whether the proxy changes the request.",
  ),
  body_too_large: invalid(
    "The body is larger than 64 KiB, or the uploaded file is larger than the limit in the reference.",
    "Send less data. Metadata and line items are for references, not for documents.",
    413,
  ),
  content_type_unsupported: invalid(
    "The endpoint does not accept the body's media type, charset or content encoding.",
    "Send `Content-Type: application/json` in UTF-8, uncompressed. To upload a file, send one of the media types in the reference.",
    415,
  ),
  metadata_invalid: invalid(
    "The metadata has more than 50 pairs, a key longer than 40 characters or with a square bracket, or a value that is not a string of at most 500 characters. Or a metadata filter has more than 5 pairs.",
    "Correct the pair in `param`. If there are too many pairs, remove some of them.",
  ),
  cursor_invalid: invalid(
    "The value of `starting_after`, `ending_before` or `Last-Event-ID` is not the ID of an object of the listed type.",
    "Send the ID of an object from the same list.",
  ),
  idempotency_key_invalid: invalid(
    "The Idempotency-Key does not consist of 1 to 255 printable ASCII characters, or the header is repeated.",
    "Send the header once, with a new UUID for each operation.",
  ),

  amount_too_small: invalid(
    "The amount is below the minimum for a charge or a payout in this currency.",
    "Send at least the minimum that the message states. The Currencies page of the documentation lists the defaults.",
  ),
  amount_too_large: invalid(
    "The amount is above the maximum for a charge or a payout in this currency.",
    "Send at most the maximum that the message states. The Currencies page of the documentation lists the defaults.",
  ),
  invalid_charge_amount: invalid(
    "The amount is zero or negative.",
    "Send a positive integer in the currency's smallest unit.",
  ),
  currency_unsupported: invalid(
    "The service does not support the currency, or none of the account's acquirers accepts this amount in this currency.",
    "Send a three-letter ISO 4217 code in lower case, such as `usd` or `eur`. If the code is correct, ask the operator which currencies and amounts are accepted.",
  ),
  card_verification_unsupported: invalid(
    "None of the account's acquirers for this currency can verify a card without a payment.",
    "Save the card with a payment: leave `mode` out, and send `save_payment_method`. Or ask the operator for an acquirer that verifies cards.",
  ),
  card_unsupported: invalid(
    "None of the account's acquirers accepts this card, because of its card network, its issuing country or the network token of its wallet.",
    "Ask for another card, or ask the operator which cards are accepted.",
  ),
  country_code_invalid: invalid(
    "The country is not an ISO 3166-1 alpha-2 code in capital letters.",
    "Send a code such as `US` or `DE`.",
  ),
  email_invalid: invalid(
    "The email address is not valid.",
    "Send an address such as `ada@example.com`. You can also leave the parameter out if it is optional.",
  ),
  url_invalid: invalid(
    "The URL is not an absolute http or https URL.",
    "Send an absolute URL such as `https://shop.example/thanks`.",
  ),

  resource_missing: invalid(
    "No object with this ID exists in the key's account and mode. The HTTP status is 404 for an ID in the path, and 400 for an ID in a body or query.",
    "Check the ID. Check also that the key and the object belong to the same account and mode.",
  ),
  resource_already_exists: invalid(
    "The object to create already exists.",
    "Retrieve or update the existing object.",
  ),
  endpoint_unknown: invalid(
    "The path is not an endpoint.",
    "Compare the path with the reference. Every path begins with `/api/v1`.",
    404,
  ),
  method_not_allowed: invalid(
    "The endpoint does not support this HTTP method.",
    "Use one of the methods in the `Allow` header.",
    405,
  ),
  resource_changed: invalid(
    "Another request has changed the object since you retrieved it.",
    "Retrieve the object again, then retry with its current state.",
  ),
  livemode_mismatch: invalid(
    "The endpoint does not support the mode of the request. For example, test helpers work in test mode only.",
    "Send the request in the other mode.",
  ),

  testmode_charges_only: invalid(
    "The account is not approved for live mode.",
    "Use a test key until the account is approved for live mode.",
  ),
  account_not_approved: invalid(
    "The request requires an account that is approved for live mode.",
    "Submit the application for live mode in the dashboard, and wait for the approval.",
  ),
  application_incomplete: invalid(
    "The application for live mode is incomplete.",
    "Complete every section listed in the application's `missing` field.",
  ),
  account_suspended: invalid(
    "The operator has suspended the account's live mode.",
    "Read the reason in the audit log of the dashboard, or contact the operator. Refunds and test mode still work.",
  ),
  account_closed: invalid("The account is closed.", "Contact the operator."),
  amount_over_account_limit: invalid(
    "The amount exceeds the account's limit for one charge.",
    "Send a smaller amount, or ask the operator to raise the account's limit.",
  ),
  payouts_not_allowed: invalid(
    "Payouts cannot be created in live mode, because the acquirer pays the balance directly to the bank account that is registered with the acquirer.",
    "Create payouts in test mode only. In live mode, wait for the acquirer's payouts.",
  ),
  balance_insufficient: invalid(
    "The available balance is smaller than the amount.",
    "Wait until pending funds are available, or send a smaller amount.",
  ),
  connector_not_configured: invalid(
    "No acquirer is connected for the account's charges in this mode, or the acquirer of the charge is no longer connected.",
    "Do not retry. For new charges, the operator must connect an acquirer first. The account's `charges_enabled` is true when charges are possible. To capture, cancel or refund a charge whose acquirer is no longer connected, ask the operator to use the acquirer's console.",
  ),
  connection_not_ready: invalid(
    "The acquirer connection has not passed a test with its current secrets and settings, or no notification that is signed with its current secrets has arrived.",
    "Test the connection, send a test notification from the acquirer's console, and then activate the connection.",
  ),
  connection_test_failed: invalid(
    "The new secrets of an acquirer connection did not pass the connection test, so Florin did not store them.",
    "Correct the secrets. The message contains the acquirer's reason.",
  ),
  connection_environment_mismatch: invalid(
    "The acquirer connection and this instance use different environments: one uses the acquirer's sandbox, and the other charges real cards.",
    "Use an instance whose `FLORIN_ACQUIRERS` matches the environment of the connection.",
  ),

  session_expired: invalid("The checkout session has expired.", "Create a new checkout session."),
  session_already_complete: invalid(
    "The checkout session was already paid.",
    "Retrieve the session. Its `charge_id` is the ID of the charge that paid for it.",
  ),
  session_canceled: invalid("The checkout session was canceled.", "Create a new checkout session."),
  session_in_progress: invalid(
    "A payment of this checkout session is in progress.",
    "Wait for its outcome. Do not start another payment.",
  ),

  session_max_cards: invalid(
    "The checkout session has reached its limit of card attempts.",
    "Create a new checkout session.",
  ),
  wallet_token_rejected: invalid(
    "The wallet token is invalid, expired, already used, not supported or created for another merchant.",
    "Follow the step that the message names: request a new token from the wallet, or pay with a card.",
  ),
  wallet_session_failed: invalid(
    "Apple returned no merchant session, so the Apple Pay sheet did not open.",
    "Open Apple Pay again, or pay with a card. If the error persists, the operator must check the merchant's certificate and domains at Apple.",
  ),
  payment_method_unexpected_state: invalid(
    "The state of the payment method does not allow this request. For example, it is detached, or it can pay only for the checkout session that collected it.",
    "Use a payment method that is saved for a customer, or collect the card again with a checkout session.",
  ),
  payment_method_not_available: invalid(
    "The card of the payment method was erased, for example because the payment method was detached or was already used.",
    "Collect the card again with a checkout session.",
  ),
  customer_max_payment_methods: invalid(
    "The customer has reached the maximum number of payment methods.",
    "Detach a payment method first, or pay without saving the card.",
  ),

  decision_expired: invalid(
    "The decision is older than 30 minutes.",
    "Request a new decision, or charge without one.",
  ),
  decision_superseded: invalid(
    "A newer decision exists for the same payment method, amount, currency and customer.",
    "Use the newer decision for the charge.",
  ),
  decision_already_used: invalid(
    "Another charge has already used the decision.",
    "Check whether that charge is the one you want. Request a new decision for a new charge.",
  ),
  decision_mismatch: invalid(
    "The decision is for another amount, currency or payment method.",
    "Charge exactly the payment for which you requested the decision, or request a new decision.",
  ),
  decision_pending_review: invalid(
    "The decision is waiting for a review by a person.",
    "Wait for the review, or request a new decision.",
  ),

  charge_already_refunded: invalid(
    "The refunds of the charge, including pending refunds, equal its captured amount.",
    "Do not retry, because nothing is left to refund. The charge's `amount_refunded` includes pending refunds.",
  ),
  capture_charge_authorization_expired: invalid(
    "The authorization has expired.",
    "Create a new charge.",
  ),
  amount_exceeds_capturable: invalid(
    "The amount exceeds the authorized amount.",
    "Capture at most the charge's amount.",
  ),
  charge_not_refundable: invalid(
    "The charge has no captured amount to refund.",
    "Refund only charges with the status `succeeded`. Cancel a charge with the status `authorized`.",
  ),
  refund_amount_exceeds_captured: invalid(
    "The refund is larger than the part of the captured amount that is neither refunded nor disputed.",
    "Refund at most `amount_captured` minus `amount_refunded` minus `amount_disputed`.",
  ),
  refund_disputed_payment: invalid(
    "The remaining amount of the charge is disputed. With a refund, the cardholder could receive the money twice.",
    "To return the money, accept the dispute if it is still open. A lost dispute has already returned the money.",
  ),
  status_transition_invalid: invalid(
    "The current state of the object does not allow this request.",
    "Read the condition in the message, such as the required status. Retry when the condition is met.",
  ),
  charge_outcome_pending: invalid(
    "The outcome of the charge, or of its capture or cancellation, is not known yet.",
    "Wait for the event with the outcome. Do not create another charge.",
  ),

  dispute_evidence_past_due: invalid(
    "The deadline for evidence has passed.",
    "Wait for the outcome. You can no longer submit evidence.",
  ),
  dispute_already_submitted: invalid(
    "The evidence was already submitted. You can submit evidence again only if the acquirer rejects the first submission.",
    "Wait for the outcome.",
  ),
  dispute_response_unsupported: invalid(
    "The acquirer of the charge is no longer connected to the service, or is not available.",
    "Try again later, or contact the operator, who can respond in the acquirer's console.",
  ),
  dispute_draft_changed: invalid(
    "The draft of the evidence was saved by another request after you read it.",
    "Read the draft again, apply your change to it, and save it with its new `version`.",
  ),
  dispute_closed: invalid("The dispute is closed.", "The dispute's `status` is the outcome."),

  card_declined: card(
    "The issuer, or a check by this service, declined the card. The code is also returned if the acquirer rejects a capture or a cancellation.",
    "Look up the `decline_code` for the next step.",
  ),
  expired_card: card("The card has expired.", "Ask for the new expiry date or another card."),
  incorrect_number: card(
    "The card number is incorrect.",
    "Ask the customer to enter the number again.",
  ),
  invalid_number: card(
    "The value is not a card number.",
    "Ask the customer to enter the number again. A card number has 12 to 19 digits.",
  ),
  incorrect_cvc: card(
    "The security code does not match the issuer's records.",
    "Ask the customer to enter the code again.",
  ),
  invalid_cvc: card(
    "The security code has the wrong number of digits.",
    "Ask the customer to enter the code again. It has 3 digits, or 4 for American Express.",
  ),
  invalid_expiry_month: card(
    "The expiry month is not a number from 1 to 12.",
    "Ask the customer to enter the expiry date again.",
  ),
  invalid_expiry_year: card(
    "The expiry year is not valid.",
    "Ask the customer to enter the expiry date again.",
  ),
  incorrect_zip: card(
    "The postal code does not match the issuer's records.",
    "Ask the customer to enter the postal code again.",
  ),
  incorrect_address: card(
    "The address does not match the issuer's records.",
    "Ask the customer to correct the billing address.",
  ),
  invalid_card_type: card("Cards of this type are not accepted.", "Ask for another card."),
  processing_error: card(
    "An error occurred at the issuer or the acquirer. No money moved.",
    "Try again in a few minutes.",
  ),
  authentication_required: card(
    "The issuer requires authentication of the cardholder.",
    "Bring the customer back to a checkout session, and charge the card again with 3-D Secure.",
  ),
  authentication_failed: card(
    "The cardholder failed the 3-D Secure authentication.",
    "Let the customer try again or use another card.",
  ),
  authentication_canceled: card(
    "The cardholder canceled the 3-D Secure authentication.",
    "Let the customer try again.",
  ),
  authentication_timed_out: card(
    "The 3-D Secure authentication timed out.",
    "Let the customer try again.",
  ),
  card_decline_rate_limit_exceeded: card(
    "Florin or the acquirer blocked the payment, because the card was declined too often. Florin's limits for one card at one merchant are 8 declines in a day and 14 declines in 30 days.",
    "Do not try this card again for at least 24 hours.",
  ),
  blocked_by_decision: card(
    "One of your rules, lists or reviews, or the risk policy, declined the payment. Nothing was sent to the acquirer. The code is the same for charges with and without a `decision_id`.",
    "Read the decision's `reasons`. Do not show them to the customer.",
  ),

  rate_limit_exceeded: rateLimit(
    "The account sent too many requests in a short time, or too many files at the same time.",
    "Wait for the number of seconds in `Retry-After`, then retry with exponential backoff.",
  ),
  concurrency_limit_exceeded: rateLimit(
    "The account or the service has too many open event streams, or the account has too many concurrent reads, clock advances or reconciliations, or unread large responses.",
    "Close a stream, read the responses or send fewer concurrent requests. Wait for the number of seconds in `Retry-After` before you retry.",
  ),
  sign_in_throttled: rateLimit(
    "There were too many attempts to sign in, to enter a password or code, or to request an email.",
    "Wait for the number of seconds in `Retry-After`.",
  ),
  mail_limit_exceeded: rateLimit(
    "The daily limit of emails to this address, or from this account, has been reached.",
    "Wait for the number of seconds in `Retry-After`.",
  ),
  endpoint_rate_limit_exceeded: rateLimit(
    "Too many requests of this kind were sent in a short time. Examples are payment attempts in one checkout session, and requests with invalid keys from one IP address range.",
    "Wait for the number of seconds in `Retry-After`, then retry with exponential backoff.",
  ),

  idempotency_key_in_use: {
    type: "idempotency_error",
    status: 422,
    meaning:
      "The Idempotency-Key was used for a request with a different body, path or method, or for another person's preferences or notifications.",
    whatToDo: "Repeat the first request exactly, or send a new key for a new operation.",
  },

  internal_error: fault(
    500,
    "An error occurred in the service.",
    "Send the same request again with the same Idempotency-Key. With the key, Florin executes the request at most once.",
  ),
  idempotency_request_in_progress: fault(
    503,
    "The first request with this Idempotency-Key is still running.",
    "Wait for the number of seconds in `Retry-After`, and send the request again with the same key, never with a new one.",
  ),
  service_overloaded: fault(
    503,
    "The service is at capacity.",
    "Wait for the number of seconds in `Retry-After`, and send the request again with the same Idempotency-Key.",
  ),
  service_unavailable: fault(
    503,
    "The service or one of its dependencies is unavailable.",
    "Send the same request again later with the same Idempotency-Key.",
  ),
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errorCodes;

/** The codes of a `card_error`. */
export type CardErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["type"] extends "card_error" ? Code : never;
}[ErrorCode];

/** The codes of a `card_error`, for the schema of a charge. */
export const cardErrorCodes = (Object.keys(errorCodes) as ErrorCode[]).filter(
  (code): code is CardErrorCode => errorCodes[code].type === "card_error",
);

/** Returns the path of the reference that explains a code, for the `doc_url` of an error. */
export function errorDocPath(code: ErrorCode): string {
  return `/docs/api/errors#error-${code}`;
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
        type: Type.Enum(errorTypes, {
          description: "Category of the error. Use this field and `code` to handle the error.",
        }),
        code: Type.Unsafe<ErrorCode>(
          Type.Enum(Object.keys(errorCodes), {
            description: "Code that identifies the error. Use this field to handle the error.",
          }),
        ),
        message: Type.String({
          description: "Human-readable description of the problem, the expected value and the fix.",
        }),
        param: Type.Optional(
          Type.String({ description: "Name of the parameter, such as `line_items[0].amount`." }),
        ),
        decline_code: Type.Optional(
          Type.String({ description: "Reason for the decline. Set on a `card_error` only." }),
        ),
        doc_url: Type.String({ description: "URL of the code's section in the reference." }),
        request_id: Type.String({
          description:
            "ID of the request, also in the Request-Id header. Include it in support requests.",
        }),
        charge: Type.Optional(
          Type.String({ description: "ID of the failed charge. Set on a decline only." }),
        ),
        advice_code: Type.Optional(
          Type.Enum(["confirm_card_data", "try_again_later", "do_not_try_again"], {
            description: "Advice from the card network on whether to retry. Set on a decline only.",
          }),
        ),
        network_decline_code: Type.Optional(
          Type.String({
            description: "Decline code from the card network. Present only after a decline.",
          }),
        ),
      },
      { description: "Error object." },
    ),
  },
  { description: "Format of every error response." },
);
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;
