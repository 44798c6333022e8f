/** The description of each operation that an API key can call, by operation ID. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  "checkout_sessions.create":
    'Creates a session in which a customer pays in the hosted card form. With `mode: "setup"` the customer saves a card and pays nothing. Redirect the customer to the `embed_url`, or mount it as a frame on your page.',
  "checkout_sessions.list": "Returns your checkout sessions, newest first.",
  "checkout_sessions.retrieve":
    "Returns a checkout session. Keys with `payments:write` also receive its `embed_url` until the session has ended.",
  "checkout_sessions.expire":
    "Ends an open session, so that it can no longer be paid. A session whose payment is being processed cannot be expired.",
  "charges.create":
    "Charges a saved card. The status of the charge is `succeeded`, `authorized` with `capture_method: manual`, `requires_action` while the customer must authenticate, or `processing` while the outcome is unknown. A decline is returned as a 402, and the failed charge still exists.",
  "charges.list": "Returns your charges, newest first. Filters are combined with AND.",
  "charges.count":
    "Returns the number of charges that match the filters, up to 10,000. `exact` is false if there may be more.",
  "charges.retrieve": "Returns a charge.",
  "charges.update":
    "Changes the description and the metadata of a charge. All other fields are final.",
  "charges.download":
    "Returns all charges that match the filters as CSV, without a limit on the number of rows.",
  "charges.capture":
    "Captures all or part of an authorized charge. The rest of the authorization is released. A charge can be captured once, before `capture_before`.",
  "charges.cancel":
    "Releases the authorization of an authorized charge, or ends a charge that waits for the customer's authentication. No money moves.",
  "charges.timeline": "Returns everything that happened to a charge, in order.",
  "charges.ledger": "Returns the ledger transfers of a charge, with the accounts that they change.",
  "refunds.create":
    "Refunds all or part of a captured charge to the card. Refunds and lost disputes never exceed the captured amount, even with concurrent requests.",
  "refunds.list": "Returns your refunds, newest first.",
  "refunds.retrieve": "Returns a refund.",
  "refunds.download":
    "Returns all refunds that match the filters as CSV, without a limit on the number of rows.",
  "payment_methods.retrieve": "Returns a saved card. The response never contains the card number.",
  "payment_methods.list": "Returns the saved cards of a customer, newest first.",
  "payment_methods.detach":
    "Detaches a saved card from its customer and erases its encrypted number. The card can no longer be charged.",
  "payment_methods.attach":
    "Saves a test card for a customer in test mode. In live mode, a card is saved when the customer pays in the card form.",
  "customers.create": "Creates a customer, to whom cards can be saved.",
  "customers.list": "Returns your customers, newest first.",
  "customers.retrieve": "Returns a customer.",
  "customers.download":
    "Returns all customers that match the filters as CSV, without a limit on the number of rows.",
  "customers.update": "Changes a customer. Omitted fields keep their values.",
  "customers.delete": "Deletes a customer and erases all its saved cards. Past charges remain.",
  "rules.create":
    "Creates a rule, which approves, challenges, reviews or declines payments that match its expression.",
  "rules.list": "Returns your rules, newest first.",
  "rules.retrieve": "Returns a rule.",
  "rules.update": "Changes a rule. Later decisions use the changed rule.",
  "rules.delete": "Deletes a rule. Past decisions keep their result.",
  "list_entries.create": "Adds a value to the allow list or the block list.",
  "list_entries.list": "Returns the entries of the allow list and the block list, newest first.",
  "list_entries.retrieve": "Returns a list entry.",
  "list_entries.delete": "Removes a value from its list.",
  "rule_trials.create":
    "Evaluates a rule against your latest charges, and returns the charges that it would have matched. Changes nothing.",
  "decisions.create":
    "Evaluates the risk of a payment before you create a charge. The decision is valid for 30 minutes, and one charge can use it.",
  "decisions.list": "Returns your decisions, newest first.",
  "decisions.retrieve": "Returns a decision.",
  "decisions.approve":
    "Closes a review as approved. If a charge is held for the review, it is captured. If the acquirer rejects the capture, the charge stays `authorized`.",
  "decisions.decline":
    "Closes a review as declined. If a charge is held for the review, its authorization is released. If the acquirer rejects the release, the charge stays `authorized`.",
  "disputes.list":
    "Returns your disputes, newest first, or those that need a response in the order of their deadlines.",
  "disputes.count":
    "Returns the number of disputes that match the filters, up to 10,000. If `exact` is false, there may be more.",
  "disputes.retrieve": "Returns a dispute.",
  "disputes.download":
    "Returns all disputes that match the filters as CSV, without a limit on the number of rows.",
  "disputes.submit_evidence":
    "Submits your evidence to the issuer. Evidence can be submitted once, before `evidence_due_by`, and again only if it was not accepted.",
  "disputes.retrieve_draft":
    "Returns the stored draft of your evidence, and texts that Florin suggests from the payment and the customer.",
  "disputes.save_draft":
    "Stores a draft of your evidence. Nothing is submitted. If the draft was saved after you read it, the request is rejected.",
  "disputes.download_document":
    "Returns the PDF that the acquirer receives: the submitted evidence, or else the draft with all files of the dispute.",
  "dispute_files.list": "Returns the files that you uploaded as evidence, newest first.",
  "dispute_files.create":
    "Uploads a PDF, JPEG or PNG as evidence for a dispute that needs a response. The body is the file.",
  "dispute_files.download": "Returns the content of a file that you uploaded as evidence.",
  "dispute_files.delete": "Deletes a file. A file of submitted evidence cannot be deleted.",
  "disputes.accept": "Accepts a dispute as lost. The disputed amount is not returned to you.",
  "metrics.customers":
    "Returns the spend, the number of payments and the number of saved cards of up to 25 customers.",
  "metrics.approvals":
    "Returns the share of payments that issuers approved, by day, connection, card network and country of the issuer, with decline codes, the acquirers' fees and suggestions.",
  "metrics.payments":
    "Returns the number and the volume of payments over time, with success rates and decline codes.",
  "search.retrieve":
    "Finds charges, refunds, disputes, customers and payouts by one text: an ID or its beginning, a reference, an email address, the last four digits of a card, an amount, a metadata pair, or words of a customer's name.",
  "receipts.create": "Emails a receipt of a succeeded charge to the customer.",
  "receipts.list":
    "Returns the receipts of the last 90 days, newest first: those that you sent, and those that Florin sends if `email_receipts` of the account is on.",
  "saved_views.create": "Saves the filters of a list under a name, for your whole team.",
  "saved_views.list": "Returns the saved views of your team.",
  "saved_views.update": "Changes the name or the filters of a saved view.",
  "saved_views.delete": "Deletes a saved view.",
  "events.list":
    "Returns the events of the last 30 days, newest first. Leaves out events whose object the caller may not read.",
  "events.retrieve": "Returns an event. Events are deleted after 30 days.",
  "events.stream":
    "Sends events as they occur, as Server-Sent Events. Leaves out events whose object the caller may not read. Use the stream for development and tools, and webhooks for production.",
  "webhook_endpoints.create":
    "Creates a webhook endpoint. Only this response and that of `roll_secret` contain the signing secret.",
  "webhook_endpoints.list": "Returns your webhook endpoints with their health, newest first.",
  "webhook_endpoints.retrieve": "Returns a webhook endpoint with its health.",
  "webhook_endpoints.update": "Changes a webhook endpoint. Enables or disables it with `status`.",
  "webhook_endpoints.delete":
    "Deletes a webhook endpoint. Deliveries that are waiting are not sent.",
  "webhook_endpoints.roll_secret":
    "Creates a new signing secret. Until the old secret expires, each delivery has a signature for each of the two secrets.",
  "webhook_endpoints.ping":
    "Sends an event of the type `ping` to the endpoint, to test your receiver. The ping is sent before all waiting deliveries.",
  "webhook_endpoints.sample_event":
    "Sends an example of an event to the endpoint in test mode, even if it does not subscribe to the type. The event has `sample: true`, and its object does not exist.",
  "webhook_endpoints.list_deliveries": "Returns the deliveries to an endpoint, newest first.",
  "webhook_endpoints.resend":
    "Resends the events since a given time that were not delivered to the endpoint. If `has_more` is true, send the request again.",
  "webhook_deliveries.retrieve": "Returns a delivery with its attempts and your responses.",
  "webhook_deliveries.resend":
    "Sends a delivery again, even before its next attempt is due. Has no effect while an attempt is in flight.",
  "balance.retrieve": "Returns the pending and the available balance for each currency.",
  "balance_transactions.list":
    "Returns the changes of your balance, newest first. The sum of their `net` is always your balance.",
  "balance_transactions.retrieve": "Returns a balance transaction.",
  "balance_transactions.download":
    "Returns a statement as CSV, without a limit on the number of rows. Times are in UTC and amounts are decimal.",
  "payouts.create":
    "Pays out an amount of the available balance in test mode. In live mode, the acquirer pays you on its own schedule.",
  "payouts.list": "Returns your payouts, newest first.",
  "payouts.retrieve": "Returns a payout.",
  "reconciliations.create":
    "Compares the records of one day with the acquirer's settlement file. A repeated comparison finds the same differences.",
  "reconciliations.list": "Returns the reconciliations, newest first.",
  "reconciliations.retrieve": "Returns a reconciliation.",
  "reconciliation_differences.list":
    "Returns the differences that reconciliations have found, each with an explanation and the next step.",
  "account.retrieve": "Returns the account that the key belongs to, as the key's mode shows it.",
  "account.update": "Changes the settings of the key's mode.",
  "account.update_profile":
    "Changes what customers see of your business, in both modes. After approval, this operation requires a live key.",
  "request_logs.list":
    "Returns the requests of your servers in the last 30 days, newest first, without bodies.",
  "request_logs.retrieve": "Returns a request with its body and its response.",
  "request_errors.list": "Returns the number of errors for each endpoint and error code.",
  "test_helpers.refunds.fail": "Changes a refund to `failed`, as a bank can do, in test mode only.",
  "test_helpers.disputes.create":
    "Opens a dispute on a charge, as a cardholder can do, in test mode only.",
  "test_helpers.disputes.close": "Decides a dispute as the card network would, in test mode only.",
  "test_helpers.payouts.fail":
    "Fails a payout that is `in_transit`, as a bank can do, in test mode only.",
  "test_helpers.clock.advance":
    "Advances the clock of test mode. Everything that is due by the new time is processed within seconds, such as payouts, holds and deadlines.",
};

/** The description of each group of operations, by the first part of their paths. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  account: "Your account and its settings.",
  balance: "The pending and the available balance for each currency.",
  balance_transactions:
    "The changes of your balance: payments, fees, refunds, disputes and payouts.",
  charges: "Attempts to charge a card, each with its outcome.",
  checkout_sessions: "Sessions in which customers pay in the hosted card form, or save a card.",
  customers: "Customers and the cards that they have saved.",
  decisions: "Evaluations of the risk of payments, with the rules that matched.",
  dispute_files: "Files that you uploaded as evidence for disputes.",
  disputes: "Objections of cardholders to charges, and your responses.",
  events: "Records of changes, which webhooks deliver to your server.",
  list_entries: "The allow list and the block list, which decisions use.",
  metrics: "Figures about your payments.",
  payment_methods: "Saved cards.",
  payouts: "Transfers of your balance to your bank account.",
  receipts: "Emails to customers about payments and refunds.",
  reconciliation_differences: "Differences between Florin's records and the acquirer's.",
  reconciliations: "Daily comparisons with the acquirer's settlement files.",
  refunds: "Refunds of charges.",
  request_errors: "Errors of your requests, by endpoint and code.",
  request_logs: "Your requests of the last 30 days.",
  rule_trials: "Trials of rules on past charges.",
  rules: "Rules that decide on payments.",
  search: "One search for all types of objects.",
  saved_views: "Saved filters of lists.",
  test_helpers: "Simulated events of banks and card networks, in test mode only.",
  webhooks: "Requests that Florin sends to your webhook endpoints, one for each type of event.",
  webhook_deliveries: "Deliveries of events to webhook endpoints, with every attempt.",
  webhook_endpoints: "URLs of your servers that receive events.",
};
