import type {
  Application as ApplicationObject,
  ApplicationState,
} from "@florin/contract/application.ts";
import { unixSeconds } from "../../core/clock.ts";
import { shownBankAccount } from "./bank-account.ts";
import { documentObject } from "./document.ts";
import { missingParts } from "./missing-parts.ts";
import { applicationIdOf, type WholeApplication } from "./read-application.ts";

export function applicationObject(whole: WholeApplication): ApplicationObject {
  const { sections, documents } = whole;
  const { bank_account } = sections;
  return {
    ...applicationState(whole),
    sections: { ...sections, bank_account: bank_account && shownBankAccount(bank_account) },
    documents: documents.map(documentObject),
  };
}

/** Returns the application without its content, for stored responses. */
export function applicationState({
  application,
  sections,
  documents,
}: WholeApplication): ApplicationState {
  return {
    id: applicationIdOf(application.account),
    object: "application",
    account: application.account,
    status: application.status,
    version: application.version,
    missing: missingParts(sections, documents),
    requests: "requests" in application ? [...application.requests] : [],
    submitted_at: "submittedAt" in application ? unixSeconds(application.submittedAt) : null,
    decided_at: "decidedAt" in application ? unixSeconds(application.decidedAt) : null,
    decision_note: "decisionNote" in application ? application.decisionNote : null,
  };
}
