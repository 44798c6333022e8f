import type { Application, ApplicationPart, SectionName } from "@florin/contract/application.ts";
import type { Step } from "../../components/stepper.tsx";

/** The parts of the form in the order in which they are filled in, and the last step, which hands it in. */
export const parts = [
  ["business", "Business"],
  ["people", "People"],
  ["bank_account", "Bank account"],
  ["products", "What you sell"],
  ["website", "Website"],
  ["documents", "Documents"],
] as const satisfies readonly (readonly [ApplicationPart, string])[];

export type StepKey = ApplicationPart | "review";

export const partNames = new Map<string, string>(parts);

export function stepsOf(application: Application): Step[] {
  const { missing, asked, status } = application;
  const steps = parts.map(([key, label]): Step => {
    const lacks = missing.some(({ section }) => section === key);
    const wanted = asked.some(({ section }) => section === key);
    return { key, label, state: wanted ? "attention" : stateOf(application, key, lacks) };
  });
  const handedIn = status !== "draft" && status !== "more_information_needed";
  return [...steps, { key: "review", label: "Submit", state: handedIn ? "done" : "open" }];
}

function stateOf({ sections, documents }: Application, part: ApplicationPart, lacks: boolean) {
  const begun =
    part === "documents" ? documents.length > 0 : sections[part as SectionName] !== null;
  if (!begun) return "open";
  return lacks ? "attention" : "done";
}

/** Where to go on: what was asked for, else the first part that lacks something, else the end. */
export function nextStep({ missing, asked }: Application): StepKey {
  return asked[0]?.section ?? missing[0]?.section ?? "review";
}

/** The step after this one. */
export function stepAfter(key: StepKey): StepKey {
  const at = parts.findIndex(([part]) => part === key);
  return parts[at + 1]?.[0] ?? "review";
}

export function mayEdit({ status }: Application): boolean {
  return status === "draft" || status === "more_information_needed";
}
