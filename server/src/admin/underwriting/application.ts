import type { ApplicationPart, ApplicationStatus } from "@florin/contract/application.ts";
import { ApiError } from "../../core/api-error.ts";
import type { AccountId } from "../../core/ids.ts";

/** A request for more information about one section of the merchant's application. */
export type InformationRequest = { readonly section: ApplicationPart; readonly message: string };

/** The state of an account's application for live mode, with the fields of each state. */
export type Application = { readonly account: AccountId; readonly version: number } & (
  | { readonly status: "draft" }
  | { readonly status: "submitted" | "in_review"; readonly submittedAt: Date }
  | {
      readonly status: "more_information_needed";
      readonly submittedAt: Date;
      readonly requests: readonly InformationRequest[];
    }
  | { readonly status: "approved"; readonly submittedAt: Date; readonly decidedAt: Date }
  | {
      readonly status: "rejected";
      readonly submittedAt: Date;
      readonly decidedAt: Date;
      readonly decisionNote: string;
    }
);

/** Returns the application of an account that has not saved a section. */
export function emptyApplication(account: AccountId): Application {
  return { account, version: 1, status: "draft" };
}

/** The transitions of an application. The merchant submits it, and the operator decides on it. */
export const applicationTransitions = {
  submit: { from: ["draft"], to: "submitted" },
  begin_review: { from: ["submitted"], to: "in_review" },
  request_information: { from: ["in_review"], to: "more_information_needed" },
  resubmit: { from: ["more_information_needed"], to: "in_review" },
  approve: { from: ["in_review"], to: "approved" },
  reject: { from: ["in_review"], to: "rejected" },
  reopen: { from: ["rejected"], to: "in_review" },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>;

export type ApplicationTransition =
  | { readonly kind: "submit" | "begin_review" | "resubmit" | "approve" | "reopen" }
  | { readonly kind: "request_information"; readonly requests: readonly InformationRequest[] }
  | { readonly kind: "reject"; readonly note: string };

/** Returns the application after the transition. Throws a 400 that names the required status. */
export function transitionApplication(
  application: Application,
  transition: ApplicationTransition,
  now: Date,
): Application {
  const { account } = application;
  const version = application.version + 1;
  const { from }: { from: readonly ApplicationStatus[] } = applicationTransitions[transition.kind];
  if (!from.includes(application.status)) throw wrongStatus(application.status, from);
  // Keeps the time of the first submission.
  const submittedAt = application.status === "draft" ? now : application.submittedAt;
  const submitted = { account, version, submittedAt };
  switch (transition.kind) {
    case "request_information":
      return { ...submitted, status: "more_information_needed", requests: transition.requests };
    case "approve":
      return { ...submitted, status: "approved", decidedAt: now };
    case "reject":
      return { ...submitted, status: "rejected", decidedAt: now, decisionNote: transition.note };
    default:
      return { ...submitted, status: applicationTransitions[transition.kind].to };
  }
}

/** Returns the application after an edit. Throws if the application may not be edited. */
export function editApplication(application: Application): Application {
  rejectEditing(application);
  return { ...application, version: application.version + 1 };
}

/**
 * Rejects edits during the review, so that the operator decides on the version that they read. Edits are allowed
 * before submission, and while the operator waits for information.
 */
function rejectEditing({ status }: Application): void {
  const open: readonly ApplicationStatus[] = ["draft", "more_information_needed"];
  if (!open.includes(status)) throw wrongStatus(status, open);
}

function wrongStatus(status: ApplicationStatus, allowed: readonly ApplicationStatus[]): ApiError {
  const names = allowed.map((one) => `'${one}'`).join(" or ");
  return new ApiError(
    "status_transition_invalid",
    `The application is '${status}'. It must be ${names} for this request.`,
  );
}
