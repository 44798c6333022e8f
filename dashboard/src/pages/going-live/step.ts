import type { Application } from "@florin/contract/application.ts";

/** What every step of the application is given. */
export type StepProps = {
  readonly application: Application;
  readonly editable: boolean;
  readonly onSaved: () => void;
};
