import type { Account, UpdateAccount } from "@florin/contract/account.ts";
import type { UpdateAccountProfile } from "@florin/contract/account-profile.ts";
import type { ApprovalMetrics, ReadApprovalMetrics } from "@florin/contract/approval-metrics.ts";
import type {
  Balance,
  BalanceTransaction,
  CreatePayout,
  ListBalanceTransactions,
  ListPayouts,
  Payout,
} from "@florin/contract/balance.ts";
import type {
  CaptureCharge,
  Charge,
  CountCharges,
  CreateCharge,
  DownloadCharges,
  ListCharges,
  UpdateCharge,
} from "@florin/contract/charge.ts";
import type {
  CheckoutSession,
  CheckoutSessionCreated,
  CreateCheckoutSession,
  ListCheckoutSessions,
} from "@florin/contract/checkout-session.ts";
import type {
  CreateCustomer,
  Customer,
  CustomerDeleted,
  DownloadCustomers,
  ListCustomers,
  UpdateCustomer,
} from "@florin/contract/customer.ts";
import type { CreateDecision, Decision, ListDecisions } from "@florin/contract/decision.ts";
import type {
  CloseTestDispute,
  CountDisputes,
  Dispute,
  DisputeFile,
  DisputeFileDeleted,
  DownloadDisputes,
  EvidenceDraft,
  ListDisputeFiles,
  ListDisputes,
  OpenTestDispute,
  SaveEvidenceDraft,
  SubmitEvidence,
  UploadDisputeFile,
} from "@florin/contract/dispute.ts";
import type { DocumentMediaType } from "@florin/contract/document-media-types.ts";
import type { ListEvents } from "@florin/contract/event.ts";
import type { Count } from "@florin/contract/list.ts";
import type {
  CreateListEntry,
  ListEntry,
  ListEntryDeleted,
  ListListEntries,
} from "@florin/contract/list-entry.ts";
import type {
  CustomerMetrics,
  PaymentMetrics,
  ReadCustomerMetrics,
  ReadPaymentMetrics,
} from "@florin/contract/metrics.ts";
import type {
  AttachPaymentMethod,
  ListPaymentMethods,
  PaymentMethod,
} from "@florin/contract/payment-method.ts";
import type { ListReceipts, Receipt, SendReceipt } from "@florin/contract/receipt.ts";
import type {
  CreateReconciliation,
  ListDifferences,
  ListReconciliations,
  Reconciliation,
  ReconciliationDifference,
} from "@florin/contract/reconciliation.ts";
import type {
  CreateRefund,
  DownloadRefunds,
  ListRefunds,
  Refund,
} from "@florin/contract/refund.ts";
import type {
  ListRequestErrors,
  ListRequestLogs,
  LoggedRequest,
  LoggedRequestWithBodies,
  RequestErrorGroup,
} from "@florin/contract/request-log.ts";
import type {
  CreateRule,
  CreateRuleTrial,
  ListRules,
  Rule,
  RuleDeleted,
  RuleTrial,
  UpdateRule,
} from "@florin/contract/rule.ts";
import type {
  CreateSavedView,
  ListSavedViews,
  SavedView,
  SavedViewDeleted,
  UpdateSavedView,
} from "@florin/contract/saved-view.ts";
import type { Search, SearchResult, SearchResults } from "@florin/contract/search.ts";
import type { AdvanceTestClock, TestClockAdvanced } from "@florin/contract/test-clock.ts";
import type { ChargeLedger, ChargeTimeline } from "@florin/contract/timeline.ts";
import type {
  CreateWebhookEndpoint,
  ListWebhookDeliveries,
  ListWebhookEndpoints,
  ResendWebhookDeliveries,
  RollWebhookSecret,
  SendSampleEvent,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointDeleted,
  WebhookEndpointWithSecret,
  WebhookResend,
} from "@florin/contract/webhook-endpoint.ts";
import type { WebhookEvent } from "@florin/contract/webhook-event.ts";
import { Connection, type FlorinOptions, type RequestOptions } from "./connection.ts";
import type { Download } from "./download.ts";
import { type List, listOf, type Page } from "./list.ts";

export type { FlorinOptions, RequestOptions } from "./connection.ts";
export type { Download } from "./download.ts";
export * from "./florin-error.ts";
export type { List, Page } from "./list.ts";
export { type ResponseInfo, responseOf } from "./response-info.ts";
export type {
  Account,
  ApprovalMetrics,
  Balance,
  BalanceTransaction,
  Charge,
  ChargeLedger,
  ChargeTimeline,
  CheckoutSession,
  CheckoutSessionCreated,
  Count,
  Customer,
  CustomerDeleted,
  CustomerMetrics,
  Decision,
  Dispute,
  DisputeFile,
  DisputeFileDeleted,
  EvidenceDraft,
  ListEntry,
  ListEntryDeleted,
  LoggedRequest,
  LoggedRequestWithBodies,
  PaymentMethod,
  PaymentMetrics,
  Payout,
  Receipt,
  Reconciliation,
  ReconciliationDifference,
  Refund,
  RequestErrorGroup,
  Rule,
  RuleDeleted,
  RuleTrial,
  SavedView,
  SavedViewDeleted,
  SearchResult,
  SearchResults,
  TestClockAdvanced,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointDeleted,
  WebhookEndpointWithSecret,
  WebhookEvent,
  WebhookResend,
};

/** A request body as clients may send it. Each optional field may also be null. */
export type RequestBody<T> = T extends readonly (infer Item)[]
  ? RequestBody<Item>[]
  : T extends object
    ? {
        [K in keyof T]: Record<never, never> extends Pick<T, K>
          ? RequestBody<T[K]> | null
          : RequestBody<T[K]>;
      }
    : T;

/** The content of an uploaded file, with its real media type. */
export type DisputeFileContent = {
  content: Uint8Array | Blob;
  media_type: DocumentMediaType;
};

/**
 * The client for a merchant's server. Names and fields are those of the HTTP API, so the API reference applies to it.
 *
 *     const florin = new Florin(process.env.FLORIN_SECRET_KEY, { baseUrl: "https://pay.example.com" });
 *     const { session, embed_url } = await florin.checkoutSessions.create({ amount: 1999, currency: "usd" });
 */
export class Florin {
  readonly #connection: Connection;

  /**
   * Throws a `TypeError` if the key or the base URL is missing, for example because an environment variable is not set.
   */
  constructor(secretKey: string | undefined, options: FlorinOptions) {
    this.#connection = new Connection(secretKey, options);
  }

  get checkoutSessions() {
    const connection = this.#connection;
    const path = "/checkout_sessions";
    return {
      create: (
        body: RequestBody<CreateCheckoutSession>,
        options?: RequestOptions,
      ): Promise<CheckoutSessionCreated> => connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<CheckoutSession> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListCheckoutSessions, options?: RequestOptions): List<CheckoutSession> =>
        listOf(connection, path, query, options),
      expire: (id: string, options?: RequestOptions): Promise<CheckoutSession> =>
        connection.post(`${under(path, id)}/expire`, {}, options),
    };
  }

  get charges() {
    const connection = this.#connection;
    const path = "/charges";
    return {
      create: (body: RequestBody<CreateCharge>, options?: RequestOptions): Promise<Charge> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Charge> =>
        connection.get(under(path, id), undefined, options),
      update: (
        id: string,
        body: RequestBody<UpdateCharge>,
        options?: RequestOptions,
      ): Promise<Charge> => connection.post(under(path, id), body, options),
      /** Counts the charges that match the filters, up to 10,000. */
      count: (query?: CountCharges, options?: RequestOptions): Promise<Count> =>
        connection.get(`${path}/count`, query, options),
      list: (query?: ListCharges, options?: RequestOptions): List<Charge> =>
        listOf(connection, path, query, options),
      /** Downloads every charge that matches the filters, as CSV. */
      download: (query?: DownloadCharges, options?: RequestOptions): Promise<Download> =>
        connection.download(`${path}.csv`, query, options),
      /** Returns the steps of the charge, such as requests, decisions and events, oldest first. */
      timeline: (id: string, options?: RequestOptions): Promise<ChargeTimeline> =>
        connection.get(`${under(path, id)}/timeline`, undefined, options),
      /** Lists the ledger transfers of the charge. */
      ledger: (id: string, options?: RequestOptions): Promise<ChargeLedger> =>
        connection.get(`${under(path, id)}/ledger`, undefined, options),
      capture: (
        id: string,
        body: RequestBody<CaptureCharge> = {},
        options?: RequestOptions,
      ): Promise<Charge> => connection.post(`${under(path, id)}/capture`, body, options),
      cancel: (id: string, options?: RequestOptions): Promise<Charge> =>
        connection.post(`${under(path, id)}/cancel`, {}, options),
    };
  }

  get metrics() {
    const connection = this.#connection;
    return {
      approvals: (
        query?: ReadApprovalMetrics,
        options?: RequestOptions,
      ): Promise<ApprovalMetrics> => connection.get("/metrics/approvals", query, options),
      customers: (query: ReadCustomerMetrics, options?: RequestOptions): Promise<CustomerMetrics> =>
        connection.get("/metrics/customers", query, options),
      payments: (query?: ReadPaymentMetrics, options?: RequestOptions): Promise<PaymentMetrics> =>
        connection.get("/metrics/payments", query, options),
    };
  }

  get search() {
    const connection = this.#connection;
    return {
      retrieve: (query: Search, options?: RequestOptions): Promise<SearchResults> =>
        connection.get("/search", query, options),
    };
  }

  get refunds() {
    const connection = this.#connection;
    const path = "/refunds";
    return {
      create: (body: RequestBody<CreateRefund>, options?: RequestOptions): Promise<Refund> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Refund> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListRefunds, options?: RequestOptions): List<Refund> =>
        listOf(connection, path, query, options),
      download: (query?: DownloadRefunds, options?: RequestOptions): Promise<Download> =>
        connection.download(`${path}.csv`, query, options),
    };
  }

  get disputes() {
    const connection = this.#connection;
    const path = "/disputes";
    return {
      retrieve: (id: string, options?: RequestOptions): Promise<Dispute> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListDisputes, options?: RequestOptions): List<Dispute> =>
        listOf(connection, path, query, options),
      count: (query?: CountDisputes, options?: RequestOptions): Promise<Count> =>
        connection.get(`${path}/count`, query, options),
      download: (query?: DownloadDisputes, options?: RequestOptions): Promise<Download> =>
        connection.download(`${path}.csv`, query, options),
      submitEvidence: (
        id: string,
        evidence: RequestBody<SubmitEvidence>,
        options?: RequestOptions,
      ): Promise<Dispute> => connection.post(`${under(path, id)}/evidence`, evidence, options),
      accept: (id: string, options?: RequestOptions): Promise<Dispute> =>
        connection.post(`${under(path, id)}/accept`, {}, options),
      retrieveDraft: (id: string, options?: RequestOptions): Promise<EvidenceDraft> =>
        connection.get(`${under(path, id)}/evidence_draft`, undefined, options),
      saveDraft: (
        id: string,
        draft: RequestBody<SaveEvidenceDraft>,
        options?: RequestOptions,
      ): Promise<EvidenceDraft> =>
        connection.post(`${under(path, id)}/evidence_draft`, draft, options),
      /** Returns the PDF that the acquirer receives. */
      downloadDocument: (id: string, options?: RequestOptions): Promise<Download> =>
        connection.download(`${under(path, id)}/evidence_document`, undefined, options),
    };
  }

  get disputeFiles() {
    const connection = this.#connection;
    const path = "/dispute_files";
    return {
      create: (
        { content, media_type, ...query }: UploadDisputeFile & DisputeFileContent,
        options?: RequestOptions,
      ): Promise<DisputeFile> =>
        connection.upload(path, query, { content, mediaType: media_type }, options),
      list: (query?: ListDisputeFiles, options?: RequestOptions): List<DisputeFile> =>
        listOf(connection, path, query, options),
      download: (id: string, options?: RequestOptions): Promise<Download> =>
        connection.download(`${under(path, id)}/content`, undefined, options),
      delete: (id: string, options?: RequestOptions): Promise<DisputeFileDeleted> =>
        connection.delete(under(path, id), { id, object: "dispute_file" }, options),
    };
  }

  get balance() {
    const connection = this.#connection;
    return {
      retrieve: (options?: RequestOptions): Promise<Balance> =>
        connection.get("/balance", undefined, options),
    };
  }

  get balanceTransactions() {
    const connection = this.#connection;
    const path = "/balance_transactions";
    return {
      list: (query?: ListBalanceTransactions, options?: RequestOptions): List<BalanceTransaction> =>
        listOf(connection, path, query, options),
      retrieve: (id: string, options?: RequestOptions): Promise<BalanceTransaction> =>
        connection.get(under(path, id), undefined, options),
      /** Downloads a statement as CSV. */
      download: (query?: ListBalanceTransactions, options?: RequestOptions): Promise<Download> =>
        connection.download(`${path}.csv`, query, options),
    };
  }

  get payouts() {
    const connection = this.#connection;
    const path = "/payouts";
    return {
      create: (body: RequestBody<CreatePayout>, options?: RequestOptions): Promise<Payout> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Payout> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListPayouts, options?: RequestOptions): List<Payout> =>
        listOf(connection, path, query, options),
    };
  }

  get reconciliations() {
    const connection = this.#connection;
    const path = "/reconciliations";
    return {
      /**
       * Compares the records of one day with the acquirer's settlement file. A repeated comparison finds the same
       * differences.
       */
      create: (
        body: RequestBody<CreateReconciliation>,
        options?: RequestOptions,
      ): Promise<Reconciliation> => connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Reconciliation> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListReconciliations, options?: RequestOptions): List<Reconciliation> =>
        listOf(connection, path, query, options),
    };
  }

  get reconciliationDifferences() {
    const connection = this.#connection;
    const path = "/reconciliation_differences";
    return {
      list: (query?: ListDifferences, options?: RequestOptions): List<ReconciliationDifference> =>
        listOf(connection, path, query, options),
    };
  }

  /** The requests of your servers in the last 30 days. Requires the permission `logs:read`. */
  get requestLogs() {
    const connection = this.#connection;
    const path = "/request_logs";
    return {
      retrieve: (id: string, options?: RequestOptions): Promise<LoggedRequestWithBodies> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListRequestLogs, options?: RequestOptions): List<LoggedRequest> =>
        listOf(connection, path, query, options),
    };
  }

  /** The errors of your requests, grouped by endpoint and code. Requires the permission `logs:read`. */
  get requestErrors() {
    const connection = this.#connection;
    return {
      list: (
        query?: ListRequestErrors,
        options?: RequestOptions,
      ): Promise<Page<RequestErrorGroup>> => connection.get("/request_errors", query, options),
    };
  }

  get receipts() {
    const connection = this.#connection;
    const path = "/receipts";
    return {
      /** Emails a receipt of a succeeded charge to the customer. */
      create: (body: RequestBody<SendReceipt>, options?: RequestOptions): Promise<Receipt> =>
        connection.post(path, body, options),
      list: (query?: ListReceipts, options?: RequestOptions): List<Receipt> =>
        listOf(connection, path, query, options),
    };
  }

  get savedViews() {
    const connection = this.#connection;
    const path = "/saved_views";
    return {
      create: (body: RequestBody<CreateSavedView>, options?: RequestOptions): Promise<SavedView> =>
        connection.post(path, body, options),
      update: (
        id: string,
        body: RequestBody<UpdateSavedView>,
        options?: RequestOptions,
      ): Promise<SavedView> => connection.post(under(path, id), body, options),
      list: (query?: ListSavedViews, options?: RequestOptions): List<SavedView> =>
        listOf(connection, path, query, options),
      delete: (id: string, options?: RequestOptions): Promise<SavedViewDeleted> =>
        connection.delete(under(path, id), { id, object: "saved_view" }, options),
    };
  }

  get paymentMethods() {
    const connection = this.#connection;
    const path = "/payment_methods";
    return {
      retrieve: (id: string, options?: RequestOptions): Promise<PaymentMethod> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListPaymentMethods, options?: RequestOptions): List<PaymentMethod> =>
        listOf(connection, path, query, options),
      /** Saves a test card by its fixed name, such as `pm_card_visa`, for a customer. Returns the saved card. */
      attach: (
        id: string,
        body: RequestBody<AttachPaymentMethod>,
        options?: RequestOptions,
      ): Promise<PaymentMethod> => connection.post(`${under(path, id)}/attach`, body, options),
      detach: (id: string, options?: RequestOptions): Promise<PaymentMethod> =>
        connection.post(`${under(path, id)}/detach`, {}, options),
    };
  }

  get customers() {
    const connection = this.#connection;
    const path = "/customers";
    return {
      create: (
        body: RequestBody<CreateCustomer> = {},
        options?: RequestOptions,
      ): Promise<Customer> => connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Customer> =>
        connection.get(under(path, id), undefined, options),
      update: (
        id: string,
        body: RequestBody<UpdateCustomer>,
        options?: RequestOptions,
      ): Promise<Customer> => connection.post(under(path, id), body, options),
      list: (query?: ListCustomers, options?: RequestOptions): List<Customer> =>
        listOf(connection, path, query, options),
      download: (query?: DownloadCustomers, options?: RequestOptions): Promise<Download> =>
        connection.download(`${path}.csv`, query, options),
      /** Deletes the customer and every saved card. */
      delete: (id: string, options?: RequestOptions): Promise<CustomerDeleted> =>
        connection.delete(under(path, id), { id, object: "customer" }, options),
    };
  }

  get decisions() {
    const connection = this.#connection;
    const path = "/decisions";
    return {
      create: (body: RequestBody<CreateDecision>, options?: RequestOptions): Promise<Decision> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Decision> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListDecisions, options?: RequestOptions): List<Decision> =>
        listOf(connection, path, query, options),
      /** Closes a review as approved. If the charge is held for the review, it is captured. */
      approve: (id: string, options?: RequestOptions): Promise<Decision> =>
        connection.post(`${under(path, id)}/approve`, {}, options),
      /** Closes a review as declined. If the charge is held for the review, it is voided. */
      decline: (id: string, options?: RequestOptions): Promise<Decision> =>
        connection.post(`${under(path, id)}/decline`, {}, options),
    };
  }

  get rules() {
    const connection = this.#connection;
    const path = "/rules";
    return {
      create: (body: RequestBody<CreateRule>, options?: RequestOptions): Promise<Rule> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<Rule> =>
        connection.get(under(path, id), undefined, options),
      update: (
        id: string,
        body: RequestBody<UpdateRule>,
        options?: RequestOptions,
      ): Promise<Rule> => connection.post(under(path, id), body, options),
      list: (query?: ListRules, options?: RequestOptions): List<Rule> =>
        listOf(connection, path, query, options),
      delete: (id: string, options?: RequestOptions): Promise<RuleDeleted> =>
        connection.delete(under(path, id), { id, object: "rule" }, options),
    };
  }

  get ruleTrials() {
    const connection = this.#connection;
    return {
      /** Evaluates a rule against your latest charges, and returns the charges that it would have matched. */
      create: (body: RequestBody<CreateRuleTrial>, options?: RequestOptions): Promise<RuleTrial> =>
        connection.post("/rule_trials", body, options),
    };
  }

  get listEntries() {
    const connection = this.#connection;
    const path = "/list_entries";
    return {
      create: (body: RequestBody<CreateListEntry>, options?: RequestOptions): Promise<ListEntry> =>
        connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<ListEntry> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListListEntries, options?: RequestOptions): List<ListEntry> =>
        listOf(connection, path, query, options),
      delete: (id: string, options?: RequestOptions): Promise<ListEntryDeleted> =>
        connection.delete(under(path, id), { id, object: "list_entry" }, options),
    };
  }

  get events() {
    const connection = this.#connection;
    const path = "/events";
    return {
      retrieve: (id: string, options?: RequestOptions): Promise<WebhookEvent> =>
        connection.get(under(path, id), undefined, options),
      list: (query?: ListEvents, options?: RequestOptions): List<WebhookEvent> =>
        listOf(connection, path, query, options),
    };
  }

  get webhookEndpoints() {
    const connection = this.#connection;
    const path = "/webhook_endpoints";
    return {
      /**
       * Returns the endpoint with its signing secret. Only this response and that of `rollSecret` contain the secret.
       */
      create: (
        body: RequestBody<CreateWebhookEndpoint>,
        options?: RequestOptions,
      ): Promise<WebhookEndpointWithSecret> => connection.post(path, body, options),
      retrieve: (id: string, options?: RequestOptions): Promise<WebhookEndpoint> =>
        connection.get(under(path, id), undefined, options),
      update: (
        id: string,
        body: RequestBody<UpdateWebhookEndpoint>,
        options?: RequestOptions,
      ): Promise<WebhookEndpoint> => connection.post(under(path, id), body, options),
      list: (query?: ListWebhookEndpoints, options?: RequestOptions): List<WebhookEndpoint> =>
        listOf(connection, path, query, options),
      delete: (id: string, options?: RequestOptions): Promise<WebhookEndpointDeleted> =>
        connection.delete(under(path, id), { id, object: "webhook_endpoint" }, options),
      /**
       * Creates a new secret. The old secret stays valid and also signs each delivery for `expires_in` seconds, by
       * default for one day.
       */
      rollSecret: (
        id: string,
        body: RequestBody<RollWebhookSecret> = {},
        options?: RequestOptions,
      ): Promise<WebhookEndpointWithSecret> =>
        connection.post(`${under(path, id)}/roll_secret`, body, options),
      ping: (id: string, options?: RequestOptions): Promise<WebhookEvent> =>
        connection.post(`${under(path, id)}/ping`, {}, options),
      /** Sends an example of an event, in test mode. The object in the event does not exist. */
      sampleEvent: (
        id: string,
        body: RequestBody<SendSampleEvent>,
        options?: RequestOptions,
      ): Promise<WebhookEvent> => connection.post(`${under(path, id)}/sample_event`, body, options),
      /**
       * Resends the deliveries since a given time that did not succeed: those for which the service stopped retrying,
       * and those that it skipped while the endpoint was disabled.
       */
      resend: (
        id: string,
        body: RequestBody<ResendWebhookDeliveries>,
        options?: RequestOptions,
      ): Promise<WebhookResend> => connection.post(`${under(path, id)}/resend`, body, options),
      listDeliveries: (
        id: string,
        query?: ListWebhookDeliveries,
        options?: RequestOptions,
      ): List<WebhookDelivery> =>
        listOf(connection, `${under(path, id)}/deliveries`, query, options),
    };
  }

  get webhookDeliveries() {
    const connection = this.#connection;
    const path = "/webhook_deliveries";
    return {
      retrieve: (id: string, options?: RequestOptions): Promise<WebhookDelivery> =>
        connection.get(under(path, id), undefined, options),
      resend: (id: string, options?: RequestOptions): Promise<WebhookDelivery> =>
        connection.post(`${under(path, id)}/resend`, {}, options),
    };
  }

  get account() {
    const connection = this.#connection;
    return {
      retrieve: (options?: RequestOptions): Promise<Account> =>
        connection.get("/account", undefined, options),
      update: (body: RequestBody<UpdateAccount>, options?: RequestOptions): Promise<Account> =>
        connection.post("/account", body, options),
      /** Changes what customers see of your business, in both modes. */
      updateProfile: (
        body: RequestBody<UpdateAccountProfile>,
        options?: RequestOptions,
      ): Promise<Account> => connection.post("/account/profile", body, options),
    };
  }

  /** Simulated events of banks and card networks, and the clock of test mode. Requires a test key. */
  get testHelpers() {
    const connection = this.#connection;
    const path = "/test_helpers";
    return {
      clock: {
        /**
         * Advances the clock of test mode. Everything that is due by then is processed within seconds. With hundreds of
         * thousands of payments, this takes minutes, so pass a longer `timeoutMs`.
         */
        advance: (
          body: RequestBody<AdvanceTestClock>,
          options?: RequestOptions,
        ): Promise<TestClockAdvanced> => connection.post(`${path}/clock/advance`, body, options),
      },
      disputes: {
        /** Opens a dispute on a charge, as a cardholder can do. */
        create: (body: RequestBody<OpenTestDispute>, options?: RequestOptions): Promise<Dispute> =>
          connection.post(`${path}/disputes`, body, options),
        /** Decides a dispute, as the card network does. */
        close: (
          id: string,
          body: RequestBody<CloseTestDispute>,
          options?: RequestOptions,
        ): Promise<Dispute> =>
          connection.post(`${under(`${path}/disputes`, id)}/close`, body, options),
      },
      refunds: {
        fail: (id: string, options?: RequestOptions): Promise<Refund> =>
          connection.post(`${under(`${path}/refunds`, id)}/fail`, {}, options),
      },
      payouts: {
        fail: (id: string, options?: RequestOptions): Promise<Payout> =>
          connection.post(`${under(`${path}/payouts`, id)}/fail`, {}, options),
      },
    };
  }
}

/** Returns the path of an object. An empty id would address the list, and a slash would address another path. */
function under(path: string, id: string): string {
  if (typeof id !== "string" || id === "")
    throw new TypeError(`The ID of an object in ${path} must be a string that is not empty.`);
  return `${path}/${encodeURIComponent(id)}`;
}
