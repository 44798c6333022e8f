import { ControlError, countField } from "./control-request.ts";
import { isOneOf, type JsonObject } from "./json-object.ts";

/** The faults of the connection that every fake has. They apply to one request. */
export const connectionFaults = [
  "cut_before_response",
  "cut_in_body",
  "slow",
  "html_502",
  "too_many_requests",
] as const;

/** A fault that applies to the next requests to an endpoint. */
export type InjectedFault<Endpoint extends string = string, Fault extends string = string> = {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** The account or channel whose requests the fault affects. Null if it affects the requests of every account. */
  readonly scope: string | null;
  readonly fault: Fault;
  /** The number of requests that the fault still applies to. */
  readonly times: number;
  /** The additional delay of the response, or the time from a success to its later failure. */
  readonly delayMs: number;
  /** If false, a request with the fault `cut_before_response` or `html_502` is not executed. */
  readonly processed: boolean;
};

/** The faults of one fake. */
export type FaultKinds<Endpoint extends string, Fault extends string> = {
  readonly endpoints: readonly Endpoint[];
  readonly faults: readonly Fault[];
  /** The faults that delay something by one second unless the command sets `delayMs`. */
  readonly delayed: readonly Fault[];
  /** The name of the field that selects an account or channel. */
  readonly scopeField: string;
};

/** Returns the fault of the command `POST faults`. */
export function readFault<Endpoint extends string, Fault extends string>(
  { endpoints, faults, delayed, scopeField }: FaultKinds<Endpoint, Fault>,
  id: string,
  body: JsonObject,
): InjectedFault<Endpoint, Fault> {
  const { endpoint, fault } = body;
  if (!isOneOf(endpoints, endpoint)) {
    throw new ControlError(`endpoint must be one of ${endpoints.join(", ")}.`);
  }
  if (!isOneOf(faults, fault)) throw new ControlError(`fault must be one of ${faults.join(", ")}.`);
  const scope = body[scopeField];
  return {
    id,
    endpoint,
    scope: typeof scope === "string" ? scope : null,
    fault,
    times: countField(body, "times", 1),
    delayMs: countField(body, "delayMs", isOneOf(delayed, fault) ? 1_000 : 0),
    processed: body.processed !== false,
  };
}

/** Stores the injected faults of a fake by ID. A `Map` satisfies this type. */
export type FaultStore<Fault extends InjectedFault> = {
  values(): Iterable<Fault>;
  set(id: string, fault: Fault): void;
  delete(id: string): void;
};

/** Returns the first fault of the endpoint with one of the kinds, or null. */
export function findFault<Fault extends InjectedFault, Kind extends Fault["fault"]>(
  faults: Iterable<Fault>,
  endpoint: Fault["endpoint"],
  kinds: readonly Kind[],
  scope: string | null,
): (Fault & { readonly fault: Kind }) | null {
  for (const fault of faults) {
    if (fault.endpoint !== endpoint || !isOneOf(kinds, fault.fault)) continue;
    if (fault.scope !== null && fault.scope !== scope) continue;
    return fault as Fault & { readonly fault: Kind };
  }
  return null;
}

/** Returns the first fault of the endpoint with one of the kinds, and counts it as used once. */
export function takeFault<Fault extends InjectedFault, Kind extends Fault["fault"]>(
  store: FaultStore<Fault>,
  endpoint: Fault["endpoint"],
  kinds: readonly Kind[],
  scope: string | null,
): (Fault & { readonly fault: Kind }) | null {
  const fault = findFault(store.values(), endpoint, kinds, scope);
  if (fault === null) return null;
  if (fault.times > 1) store.set(fault.id, { ...fault, times: fault.times - 1 });
  else store.delete(fault.id);
  return fault;
}

/** Returns true if the fault replaces the execution of the request. */
export function preventsExecution({ fault, processed }: InjectedFault): boolean {
  return !processed && (fault === "cut_before_response" || fault === "html_502");
}
