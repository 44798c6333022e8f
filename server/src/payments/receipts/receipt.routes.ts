import { ListOf } from "@florin/contract/list.ts";
import { ListReceipts, Receipt, SendReceipt } from "@florin/contract/receipt.ts";
import { ApiError, noSuchParameter } from "../../core/api-error.ts";
import { newId, parseId } from "../../core/ids.ts";
import type { Scope } from "../../core/scope.ts";
import { recordPersonAction } from "../../platform/audit/record-person-action.ts";
import { namedId, rejectUnknownFilterIds } from "../../platform/http/filter-ids.sql.ts";
import { listPage, pageOf } from "../../platform/http/list.ts";
import { type ApiRequest, created, ok, type Route, route } from "../../platform/http/route.ts";
import type { IdempotencyKeys } from "../../platform/idempotency/idempotency.ts";
import { queueMail } from "../../platform/mail/queue-mail.ts";
import { withArchiveNote } from "../charges/archived-charge.ts";
import { readCharge } from "../charges/charge.sql.ts";
import type { SucceededCharge } from "../charges/charge.ts";
import type { ReceiptDeps } from "./receipt.jobs.ts";
import { insertReceipt, listReceipts } from "./receipt.sql.ts";
import { receiptObject } from "./receipt.ts";
import { customerEmail, receiptEmail } from "./receipt-email.ts";
import { mayReceive, readReceiptPayment } from "./receipt-payment.ts";

const url = "/api/v1/receipts";

/** Serves the receipts that were sent, and sends the receipt of a payment on request. */
export function receiptRoutes(
  deps: ReceiptDeps & { readonly idempotencyKeys: IdempotencyKeys },
): Route[] {
  const { database, clock, accounts, testRecipients, idempotencyKeys } = deps;

  return [
    route({
      method: "POST",
      path: "/receipts",
      summary: "Email a receipt",
      permission: "customers:write",
      body: SendReceipt,
      response: Receipt,
      status: 201,
      handle: (request) => send(request),
    }),
    route({
      method: "GET",
      path: "/receipts",
      summary: "List receipts",
      // A receipt contains the customer's email address, which requires this permission on `GET /customers/:id` too.
      permission: "customers:read",
      query: ListReceipts,
      response: ListOf(Receipt, url),
      status: 200,
      async handle({ scope, query }) {
        const page = pageOf(query, "rcpt");
        const chargeId = namedId("ch", query.charge_id, "charge_id");
        const receipts = await listReceipts(database.read, scope, chargeId, page);
        await rejectUnknownFilterIds(database.read, scope, receipts, { charge_id: chargeId });
        return ok(listPage(receipts, page, url, receiptObject));
      },
    }),
  ];

  async function send(request: ApiRequest<SendReceipt>) {
    const { scope, body, idempotency } = request;
    const charge = await findSucceeded(scope, body.charge_id);
    const payment = await readReceiptPayment(database.read, charge);
    const recipient = body.email ?? customerEmail(payment);
    if (recipient === null) throw withoutAddress();
    if (!(await mayReceive(database.read, scope, testRecipients, recipient))) throw onlyTeam();
    const account = await accounts.get(scope.account);
    return idempotencyKeys.runInTransaction(scope, idempotency, async (tx) => {
      const now = clock.now();
      const id = newId("rcpt", now);
      const receipt = { scope, id, chargeId: charge.id, refundId: null, recipient };
      await insertReceipt(tx, receipt, recipient);
      const email = { ...receiptEmail(account, payment, null), to: recipient };
      const kind = scope.livemode ? "requested_receipt" : "test_receipt";
      await queueMail(tx, email, { kind, account: scope.account }, now);
      // The audit entry omits the address, because audit entries are never deleted.
      const after = { receipt: id };
      const entry = { action: "charge.receipt_sent", object: charge.id, after } as const;
      await recordPersonAction(tx, request, entry, clock);
      return created(receiptObject(receipt));
    });
  }

  async function findSucceeded(scope: Scope, text: string): Promise<SucceededCharge> {
    const id = parseId("ch", text);
    const charge = id && (await readCharge(database.read, scope, id));
    if (!charge) {
      const missing = noSuchParameter("charge", text, "charge_id");
      throw id ? await withArchiveNote(database.read, scope, id, missing) : missing;
    }
    if (charge.status === "succeeded") return charge;
    throw new ApiError(
      "status_transition_invalid",
      `A receipt requires a charge that is \`succeeded\`. The charge ${charge.id} is \`${charge.status}\`.`,
      { param: "charge_id" },
    );
  }
}

function withoutAddress(): ApiError {
  return new ApiError(
    "parameter_missing",
    "`email` is required, because the charge has no customer with an email address. Send the address of the recipient.",
    { param: "email" },
  );
}

function onlyTeam(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "In test mode, `email` must be the address of a member of your team. Use your own address to see the receipt.",
    { param: "email" },
  );
}
