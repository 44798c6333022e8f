import { openQuestion } from "./question.ts";

/** Some acts want a person who has proved just now that it is them. */
export const freshProof = openQuestion();

/** True when the person has proved it. */
export const proveAgain = () => freshProof.ask();
