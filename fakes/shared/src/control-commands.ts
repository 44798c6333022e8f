import type { Clock } from "./clock.ts";
import { matching } from "./control-request.ts";
import type { EventDelivery } from "./event-delivery.ts";
import type { EventOutbox, OutboxEvent } from "./event-outbox.ts";
import { type FaultKinds, type InjectedFault, readFault } from "./injected-faults.ts";
import type { JsonObject } from "./json-object.ts";
import type { RequestLog } from "./request-log.ts";

/** The parts of a fake that the shared commands read and change. */
type Fake<Endpoint extends string, Fault extends string, Event extends OutboxEvent> = {
  readonly platform: {
    readonly accounts: ReadonlyMap<string, object>;
    readonly requests: Pick<RequestLog<object>, "newest">;
    readonly outbox: EventOutbox<Event>;
    readonly faults: Map<string, InjectedFault<Endpoint, Fault>>;
    readonly clock: Clock;
    newId(prefix: string): string;
  };
  readonly delivery: EventDelivery<Event>;
};

/**
 * Executes a command of the control API that every fake with an event outbox has. Returns undefined for any other
 * command.
 */
export async function runSharedCommand<
  Endpoint extends string,
  Fault extends string,
  Event extends OutboxEvent,
>(
  { platform, delivery }: Fake<Endpoint, Fault, Event>,
  faultKinds: FaultKinds<Endpoint, Fault>,
  command: string,
  query: URLSearchParams,
  body: JsonObject,
): Promise<object | undefined> {
  switch (command) {
    case "GET accounts":
      return { accounts: [...platform.accounts.values()] };
    case "GET requests":
      return { requests: matching(platform.requests.newest(), query) };
    case "GET events":
      return { events: matching(platform.outbox.events.values(), query) };
    case "POST faults": {
      const fault = readFault(faultKinds, platform.newId("flt"), body);
      platform.faults.set(fault.id, fault);
      return { fault };
    }
    case "DELETE faults":
      platform.faults.clear();
      return { faults: [] };
    case "POST clock":
      platform.clock.advance(Number(body.advanceMs ?? 0));
      return { now: new Date(platform.clock.nowMs()).toISOString() };
    case "POST hold_events":
      platform.outbox.holds = body.held === true;
      return {};
  }
  const sent = /^POST events\/(evt_\w+)\/send$/.exec(command)?.[1];
  return sent === undefined ? undefined : { delivered: await delivery.send(sent) };
}
