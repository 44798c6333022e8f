import assert from "node:assert/strict";

/** The control API of the fake of a live acquirer. */
export type FakeControl<Payment> = {
  readonly url: string;
  control<Body>(command: string, body?: object): Promise<Body>;
  /** Adds a fault to the next request to the endpoint. */
  fault(endpoint: string, fault: string, more?: object): Promise<unknown>;
  payments(query?: string): Promise<readonly Payment[]>;
  /** Returns the payment of the charge. Fails the test if there are several. */
  paymentOf(charge: string): Promise<Payment>;
};

/** Sends the events with this state again. Returns the number of sent events. */
export async function repeatEvents(
  { control }: Pick<FakeControl<unknown>, "control">,
  state: "pending" | "lost",
): Promise<number> {
  const { events } = await control<{ events: { id: string }[] }>(`GET events?state=${state}`);
  await Promise.all(events.map(({ id }) => control(`POST events/${id}/send`)));
  return events.length;
}

/** Returns the control API of a fake. `acquirer` is the acquirer's name for the message of a failed test. */
export function controlFake<Payment>(url: string, acquirer: string): FakeControl<Payment> {
  const fake: FakeControl<Payment> = {
    url,
    async control(command, body) {
      const [method = "", path = ""] = command.split(" ");
      const text = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(`${url}/control/${path}`, { method, body: text });
      assert.equal(response.status, 200, command);
      return (await response.json()) as never;
    },
    fault: (endpoint, fault, more = {}) =>
      fake.control("POST faults", { endpoint, fault, ...more }),
    async payments(query = "") {
      return (await fake.control<{ payments: Payment[] }>(`GET payments?${query}`)).payments;
    },
    async paymentOf(charge) {
      const [payment, ...others] = await fake.payments(`reference=${charge}`);
      assert(payment, `${acquirer} has no payment of ${charge}`);
      assert.deepEqual(others, []);
      return payment;
    },
  };
  return fake;
}
