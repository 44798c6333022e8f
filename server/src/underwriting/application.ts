import type { ApplicationPart, ApplicationStatus } from "@florin/contract/application.ts";
import { ApiError } from "../primitives/api-error.ts";
import type { AccountId } from "../primitives/ids.ts";

/** Something the operator wants to know beside what was told. */
export type Asked = { readonly section: ApplicationPart; readonly message: string };

/** How far an account's application for live mode is, with what each state knows. */
export type Application = { readonly account: AccountId; readonly version: number } & (
  | { readonly status: "draft" }
  | { readonly status: "submitted" | "in_review"; readonly submittedAt: Date }
  | {
      readonly status: "more_information_needed";
      readonly submittedAt: Date;
      readonly asked: readonly Asked[];
    }
  | { readonly status: "approved"; readonly submittedAt: Date; readonly decidedAt: Date }
  | {
      readonly status: "rejected";
      readonly submittedAt: Date;
      readonly decidedAt: Date;
      readonly decisionNote: string;
    }
);

/** What every account has before it has saved anything. */
export function emptyApplication(account: AccountId): Application {
  return { account, version: 1, status: "draft" };
}

/** Who makes which move from where: the merchant hands in, the operator decides. */
export const applicationMoves = {
  submit: { from: ["draft"], to: "submitted" },
  begin_review: { from: ["submitted"], to: "in_review" },
  ask: { from: ["in_review"], to: "more_information_needed" },
  answer: { from: ["more_information_needed"], to: "in_review" },
  approve: { from: ["in_review"], to: "approved" },
  reject: { from: ["in_review"], to: "rejected" },
  reopen: { from: ["rejected"], to: "in_review" },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>;

export type Move =
  | { readonly kind: "submit" | "begin_review" | "answer" | "approve" | "reopen" }
  | { readonly kind: "ask"; readonly asked: readonly Asked[] }
  | { readonly kind: "reject"; readonly note: string };

/** The application after the move; throws the 400 that names the status it would need. */
export function moveApplication(application: Application, move: Move, now: Date): Application {
  const { account } = application;
  const version = application.version + 1;
  const { from }: { from: readonly ApplicationStatus[] } = applicationMoves[move.kind];
  if (!from.includes(application.status)) throw wrongStatus(application.status, from, move.kind);
  // What leaves the draft has been submitted; only the first time counts.
  const submittedAt = application.status === "draft" ? now : application.submittedAt;
  const submitted = { account, version, submittedAt };
  switch (move.kind) {
    case "ask":
      return { ...submitted, status: "more_information_needed", asked: move.asked };
    case "approve":
      return { ...submitted, status: "approved", decidedAt: now };
    case "reject":
      return { ...submitted, status: "rejected", decidedAt: now, decisionNote: move.note };
    default:
      return { ...submitted, status: applicationMoves[move.kind].to };
  }
}

/** The application after something in it was changed; throws where it may not be. */
export function editApplication(application: Application): Application {
  refuseEditing(application);
  return { ...application, version: application.version + 1 };
}

/** What is under review stays as it is read there; the merchant may write before, and when asked. */
function refuseEditing({ status }: Application): void {
  const open: readonly ApplicationStatus[] = ["draft", "more_information_needed"];
  if (!open.includes(status)) throw wrongStatus(status, open, "change");
}

function wrongStatus(
  status: ApplicationStatus,
  wanted: readonly ApplicationStatus[],
  move: string,
): ApiError {
  const names = wanted.map((one) => `'${one}'`).join(" or ");
  return new ApiError(
    "status_transition_invalid",
    `The application is '${status}', and must be ${names} to ${move.replace("_", " ")} it.`,
  );
}
