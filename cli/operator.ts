import { parseArgs } from "node:util";
import { type Config, WrongSetting } from "@florin/server/config.ts";
import { systemClock } from "@florin/server/core/clock.ts";
import {
  appointOperator,
  type OperatorStep,
  operatorSteps,
} from "@florin/server/identity/people/appoint-operator.ts";
import { withDatabase } from "./with-database.ts";

const confirmations: Readonly<Record<OperatorStep, string>> = {
  add: "becomes an operator at the next sign-in with two-step verification.",
  reset:
    "no longer has two-step verification and was signed out. They can set it up again after they sign in.",
};

/** `florin operator add|reset EMAIL`: restores access when no operator can sign in to the admin console. */
export async function operator(config: Config, arguments_: string[]): Promise<number> {
  const { positionals } = parseArgs({ args: arguments_, allowPositionals: true });
  const [name, email, ...more] = positionals;
  const step = operatorSteps.find((known) => known === name);
  if (!step || !email || more.length > 0) {
    throw new WrongSetting(
      "Specify an action and one email address. Run: florin operator add EMAIL, or: florin operator reset EMAIL.",
    );
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
