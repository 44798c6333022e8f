import type { ServiceAuditAction } from "@florin/contract/audit-actions.ts";
import { AddOperator, type OperatorOnDesk, WithReason } from "@florin/contract/operator.ts";
import type { Facts } from "../audit/act.ts";
import { listServiceEntries } from "../audit/audit.sql.ts";
import { auditEntryObject } from "../audit/audit-entry-object.ts";
import { recordAct } from "../audit/record-act.ts";
import { type DoorRoute, doorRoute } from "../http/door.ts";
import { ok } from "../http/route.ts";
import { readPersonByEmail, setOperator } from "../people/person.sql.ts";
import { resetSecondFactor } from "../people/reset-second-factor.ts";
import type { SignedIn } from "../people/session.ts";
import { ApiError, noSuch, noSuchParameter } from "../primitives/api-error.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { type OperatorRequest, operatorAct, requireProof } from "./operator-request.ts";
import { listOperators, lockOperators, removeOperator } from "./operators.sql.ts";

/** Who runs the service. The first is made by the link of the first start; the others by those before them. */
export function operatorsRoutes(deps: OperatorDeps): DoorRoute<SignedIn>[] {
  const { database, clock } = deps;
  const route = doorRoute<SignedIn>();

  return [
    route({ method: "GET", path: "/operators", handle: async () => ok(await describe()) }),
    route({
      method: "GET",
      path: "/audit_log",
      async handle() {
        const entries = await listServiceEntries(database.read);
        return ok({ data: entries.map(auditEntryObject) });
      },
    }),
    route({
      method: "POST",
      path: "/operators",
      body: AddOperator,
      handle: (request) => add(request),
    }),
    route({
      method: "POST",
      path: "/operators/:person/remove",
      body: WithReason,
      handle: (request) => remove(request),
    }),
    route({
      method: "POST",
      path: "/operators/:person/reset_second_factor",
      body: WithReason,
      handle: (request) => reset(request),
    }),
  ];

  async function describe(): Promise<{ data: OperatorOnDesk[] }> {
    const operators = await listOperators(database.read);
    return {
      data: operators.map(({ secondFactor, ...person }) => ({
        ...person,
        second_factor: secondFactor,
      })),
    };
  }

  async function add(request: OperatorRequest<AddOperator>) {
    requireProof(request, clock.now());
    const { email, reason } = request.body;
    await database.transaction(async (tx) => {
      const person = await readPersonByEmail(tx, email);
      if (!person) throw noSuchParameter("person", email, "email");
      await setOperator(tx, person.id, true);
      const after = { operator: true, email: person.email };
      await record(tx, request, "operator.added", { object: person.id, after, reason });
    });
    return ok(await describe());
  }

  async function remove(request: OperatorRequest<WithReason>) {
    requireProof(request, clock.now());
    const { reason } = request.body;
    await database.transaction(async (tx) => {
      const operators = await lockOperators(tx);
      const id = operators.find((one) => one === request.params.person);
      if (!id) throw noSuch("operator", request.params.person as string);
      if (operators.length === 1) {
        throw new ApiError(
          "status_transition_invalid",
          "This is the only operator. Make somebody else one first, so that the service is not without.",
        );
      }
      await removeOperator(tx, id);
      const after = { operator: false };
      await record(tx, request, "operator.removed", { object: id, after, reason });
    });
    return ok(await describe());
  }

  /** For an operator who lost theirs; somebody who resets their own has it, and changes it in their settings. */
  async function reset(request: OperatorRequest<WithReason>) {
    const now = clock.now();
    requireProof(request, now);
    const operators = await listOperators(database.read);
    const person = operators.find(({ id }) => id === request.params.person);
    if (!person) throw noSuch("operator", request.params.person as string);
    await database.transaction(async (tx) => {
      await resetSecondFactor(tx, person.id, now);
      const { reason } = request.body;
      const done = { object: person.id, reason };
      await record(tx, request, "operator.second_factor_reset", done);
    });
    return ok(await describe());
  }

  async function record(
    tx: Parameters<typeof recordAct>[0],
    request: OperatorRequest,
    action: ServiceAuditAction,
    done: { readonly object: string; readonly after?: Facts; readonly reason: string },
  ) {
    await recordAct(tx, operatorAct(request, { account: null, action, ...done }), clock);
  }
}
