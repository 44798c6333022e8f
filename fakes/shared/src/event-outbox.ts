/** Faults of the events that a request causes. */
export const eventFaults = [
  "duplicate_event",
  "early_event",
  "lost_event",
  "forged_event",
] as const;
export type EventFault = (typeof eventFaults)[number];

/** An event with its deliveries. `abandoned` events are no longer retried. */
export type OutboxEvent = {
  readonly id: string;
  readonly account: string;
  readonly type: string;
  readonly body: string;
  readonly createdAt: number;
  readonly fault: EventFault | null;
  readonly state: "pending" | "delivered" | "lost" | "held" | "abandoned";
  readonly attempts: number;
};

/** Stores all events of a fake, and lists the new ones, which are sent after the request that caused them. */
export class EventOutbox<Event extends OutboxEvent> {
  readonly events = new Map<string, Event>();
  /** True if new events wait until the control API sends them, so that a test can choose the order. */
  holds = false;
  #caused: string[] = [];

  /** Records an event. Unless it is lost or held, `takeCaused` returns it once. */
  record(event: Omit<Event, "state" | "attempts">): void {
    const state = event.fault === "lost_event" ? "lost" : this.holds ? "held" : "pending";
    this.events.set(event.id, { ...event, state, attempts: 0 } as Event);
    if (state === "pending") this.#caused.push(event.id);
  }

  /** Returns the IDs of the events since the last call, in the order of their creation. */
  takeCaused(): readonly string[] {
    const caused = this.#caused;
    this.#caused = [];
    return caused;
  }
}
