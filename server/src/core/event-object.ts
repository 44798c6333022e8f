/** The text that precedes the object in the body of an event. */
export const beforeObject = '"data":{"object":{';

/**
 * Returns the object in an event's body, byte for byte as it was rendered, for an event without `previous_attributes`.
 * `beforeObject` cannot occur earlier in the body, because a quote inside a string is escaped.
 */
export function eventObject(body: string): string {
  const start = body.indexOf(beforeObject) + beforeObject.length;
  return `{${body.slice(start, -"}}".length)}`;
}
