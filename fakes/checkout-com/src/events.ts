/** The links of an event to other resources, such as the payment. */
export type EventLinks = Readonly<Record<string, string>>;

export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly createdAt: number;
  readonly data: object;
  readonly links: EventLinks;
};

/**
 * The version of the event format in the examples of the event types
 * (checkout.com/docs/developer-resources/event-notifications/event-types/payment_void_declined).
 */
const eventVersion = "1.0.29";

/** Returns the body of an event, as the webhook action of a workflow sends it. */
export function eventBody(event: NewEvent, subject: string, baseUrl: string): string {
  const events = `${baseUrl}/workflows/events`;
  const links = Object.fromEntries(
    Object.entries(event.links).map(([name, href]) => [name, { href }]),
  );
  return JSON.stringify({
    id: event.id,
    type: event.type,
    version: eventVersion,
    created_on: timestamp(event.createdAt),
    data: event.data,
    _links: {
      self: { href: `${events}/${event.id}` },
      subject: { href: `${events}/subject/${subject}` },
      ...links,
    },
  });
}

export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
