import type { Application, ApplicationPart, SectionName } from "@florin/contract/application.ts";
import type { Step } from "../../components/stepper.tsx";

/** The sections of the application, in the order of the form. */
export const parts = [
  ["business", "Business"],
  ["people", "People"],
  ["bank_account", "Bank account"],
  ["products", "Products"],
  ["website", "Website"],
  ["documents", "Documents"],
] as const satisfies readonly (readonly [ApplicationPart, string])[];

export type StepKey = ApplicationPart | "review";

export const partNames = new Map<string, string>(parts);

export function stepsOf(application: Application): Step[] {
  const { missing, requests, status } = application;
  const steps = parts.map(([key, label]): Step => {
    const lacks = missing.some(({ section }) => section === key);
    const isRequested = requests.some(({ section }) => section === key);
    return { key, label, state: isRequested ? "attention" : stateOf(application, key, lacks) };
  });
  const handedIn = status !== "draft" && status !== "more_information_needed";
  return [...steps, { key: "review", label: "Submit", state: handedIn ? "done" : "open" }];
}

function stateOf({ sections, documents }: Application, part: ApplicationPart, lacks: boolean) {
  const isStarted =
    part === "documents" ? documents.length > 0 : sections[part as SectionName] !== null;
  if (!isStarted) return "open";
  return lacks ? "attention" : "done";
}

/** Returns the next incomplete step: requested corrections first, then missing sections, then the submission. */
export function nextStep({ missing, requests }: Application): StepKey {
  return requests[0]?.section ?? missing[0]?.section ?? "review";
}

/** Returns the step after the given one. After the last section, this is the review. */
export function stepAfter(key: StepKey): StepKey {
  const at = parts.findIndex(([part]) => part === key);
  return parts[at + 1]?.[0] ?? "review";
}

export function mayEdit({ status }: Application): boolean {
  return status === "draft" || status === "more_information_needed";
}
