import { createPrompt } from "./dialog-prompt.ts";

/** Shows the step-up dialog, for operations that require recent reauthentication. */
export const stepUpPrompt = createPrompt();

/** Shows the dialog. Returns whether the person reauthenticated. */
export const showStepUp = () => stepUpPrompt.open();
