import { createPrompt } from "./prompt.ts";

/** Shows the step-up dialog, for operations that need a fresh proof of identity. */
export const stepUpPrompt = createPrompt();

/** Returns true after successful step-up. */
export const renewAfterStepUp = () => stepUpPrompt.open();
