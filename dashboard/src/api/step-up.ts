import { openQuestion } from "./question.ts";

/** Shows the step-up dialog, for operations that need a fresh proof of identity. */
export const freshProof = openQuestion();

/** Returns true after successful step-up. */
export const proveAgain = () => freshProof.ask();
