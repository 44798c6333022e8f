import assert from "node:assert/strict";
import { test } from "node:test";
import { disputeReasons } from "@florin/contract/dispute.ts";
import {
  acceptRequest,
  chooseDefense,
  defendRequest,
  defenseReasons,
  defenseReasonsRequest,
  disputeServiceOutcome,
  disputeServiceUrl,
  supplyRequest,
} from "./dispute-service.ts";
import { openApiDocument } from "./openapi.fixture.ts";

const service = openApiDocument("DisputeService-v30.json");
const dispute = { merchantAccount: "FlorinTest", reference: "DZ4DPSHB4WD2WN82" };
const responseOf = (body: unknown, status = 200) => ({
  status,
  headers: {},
  body: typeof body === "string" ? body : JSON.stringify(body),
});

test("every request is valid against the official document", {
  skip: typeof service === "string" && service,
}, () => {
  assert(typeof service !== "string");
  const pdf = Buffer.from("%PDF-1.7");
  const supply = supplyRequest(dispute, ["TIDorInvoice", "DefenseMaterial"], pdf);
  service.assertValid("DefenseReasonsRequest", defenseReasonsRequest(dispute).body);
  service.assertValid("SupplyDefenseDocumentRequest", supply.body);
  service.assertValid("DefendDisputeRequest", defendRequest(dispute, "SupplyDefenseMaterial").body);
  service.assertValid("AcceptDisputeRequest", acceptRequest(dispute).body);
  assert.deepEqual(
    service.example("post-acceptDispute-accept-dispute"),
    acceptRequest({ ...dispute, merchantAccount: "YOUR_MERCHANT_ACCOUNT" }).body,
  );
});

test("the defense is chosen from the official example by the dispute's reason", {
  skip: typeof service === "string" && service,
}, () => {
  assert(typeof service !== "string");
  const example = service.example(
    "post-retrieveApplicableDefenseReasons-retrieve-defense-reasons-200",
  );
  const outcome = disputeServiceOutcome(responseOf(example));
  assert(outcome.kind === "done");
  assert.deepEqual(chooseDefense(outcome.body, "product_unacceptable"), {
    kind: "defense",
    code: "GoodsWereAsDescribed",
    documentTypes: ["GoodsWereAsDescribed", "TIDorInvoice"],
  });
  assert.deepEqual(chooseDefense(outcome.body, "fraudulent"), {
    kind: "defense",
    code: "SupplyDefenseMaterial",
    documentTypes: ["DefenseMaterial"],
  });
});

const offer = (...types: [string, string][]) => ({
  defenseReasons: [
    {
      defenseReasonCode: "SupplyDefenseMaterial",
      satisfied: false,
      defenseDocumentTypes: types.map(([defenseDocumentTypeCode, requirementLevel]) => ({
        defenseDocumentTypeCode,
        requirementLevel,
        available: false,
      })),
    },
  ],
});
const typesFor = (...types: [string, string][]) => {
  const defense = chooseDefense(offer(...types), "general");
  return defense.kind === "defense" ? defense.documentTypes : defense.problem;
};

test("supplies all required documents and one of a group, or a single optional document if there are none", () => {
  assert.deepEqual(typesFor(["A", "Required"], ["B", "Optional"], ["C", "Required"]), ["A", "C"]);
  assert.deepEqual(typesFor(["A", "OneOrMore"], ["B", "OneOrMore"], ["C", "Required"]), ["C", "A"]);
  assert.deepEqual(typesFor(["A", "Required"], ["B", "AlternativeRequired"]), ["A"]);
  assert.deepEqual(typesFor(["A", "Optional"], ["B", "AlternativeRequired"]), ["B"]);
  assert.deepEqual(typesFor(["A", "Optional"]), ["A"]);
  assert.deepEqual(typesFor(), []);
});

test("rejects the evidence if no offered defense fits, and names the offered defenses", () => {
  const other = { defenseReasons: [{ defenseReasonCode: "ShippedToAVS", satisfied: false }] };
  const none = chooseDefense(other, "fraudulent");
  assert(none.kind === "rejected");
  assert.match(none.problem, /ShippedToAVS/);
  assert.equal(chooseDefense({}, "fraudulent").kind, "rejected");
});

test("every dispute reason has a defense that only supplies material", () => {
  for (const reason of disputeReasons) {
    assert.ok(defenseReasons[reason].includes("SupplyDefenseMaterial"), reason);
  }
});

test("a problem with status 200 is a rejection, and every unclear response is unknown", () => {
  const result = (disputeServiceResult: unknown) =>
    disputeServiceOutcome(responseOf({ disputeServiceResult }));
  assert.equal(result({ success: true }).kind, "done");
  assert.deepEqual(result({ success: false, errorMessage: "Dispute not found" }), {
    kind: "rejected",
    problem: "Dispute not found",
  });
  assert.equal(result({ success: false }).kind, "rejected");
  for (const unclear of [{}, { success: "true" }, null]) {
    assert.equal(result(unclear).kind, "unknown");
  }
  const statuses = { 400: "rejected", 401: "rejected", 422: "rejected", 429: "not_sent" };
  for (const [status, kind] of Object.entries(statuses)) {
    assert.equal(disputeServiceOutcome(responseOf({}, Number(status))).kind, kind, status);
  }
  for (const status of [200, 302, 500, 502, 503]) {
    assert.equal(disputeServiceOutcome(responseOf("<html>", status)).kind, "unknown");
  }
});

test("disputes have a host of their own in each environment", () => {
  assert.equal(new URL(disputeServiceUrl(true)).hostname, "ca-live.adyen.com");
  assert.equal(new URL(disputeServiceUrl(false)).hostname, "ca-test.adyen.com");
});
