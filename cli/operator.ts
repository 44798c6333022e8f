import type { Config } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import {
  appointOperator,
  type OperatorStep,
  operatorSteps,
} from "@florin/server/identity/people/appoint-operator.ts";
import { usage } from "./usage.ts";
import { withDatabase } from "./with-database.ts";

const confirmations: Readonly<Record<OperatorStep, string>> = {
  add: "becomes an operator at the next sign-in with two-step verification.",
  reset:
    "no longer has two-step verification and was signed out. They can set it up again after they sign in.",
};

/** `florin operator add|reset EMAIL`: restores access when no operator can sign in to the admin console. */
export async function operator(config: Config, arguments_: readonly string[]): Promise<number> {
  const [name, email] = arguments_;
  const step = operatorSteps.find((known) => known === name);
  if (!step || !email) {
    console.error(usage);
    return 2;
  }
  const hasSignedUp = await withDatabase(config, (database) =>
    appointOperator({ database, clock: systemClock }, step, email),
  );
  if (hasSignedUp) console.log(`${email} ${confirmations[step]}`);
  else
    console.error(
      `No user has signed up with the address ${email}. Ask the person to sign up in the dashboard first.`,
    );
  return hasSignedUp ? 0 : 1;
}
