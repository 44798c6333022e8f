import type { Application } from "@florin/contract/application.ts";

/** The props of every step of the application. */
export type StepProps = {
  readonly application: Application;
  readonly editable: boolean;
  readonly onSaved: () => void;
};
