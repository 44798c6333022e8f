/** The text before an event's object in its body. */
export const beforeObject = '"data":{"object":{';

/**
 * Returns the object in an event's body, byte for byte as it was rendered, for an event without `previous_attributes`.
 * The text before it cannot occur earlier in the body, because a quote inside a string is escaped.
 */
export function eventObject(body: string): string {
  const start = body.indexOf(beforeObject) + beforeObject.length;
  return `{${body.slice(start, -"}}".length)}`;
}
