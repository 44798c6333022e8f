/** What stands before an event's object in its body (contract §6). */
export const beforeObject = '"data":{"object":{';

/**
 * The object of an event's body, to the byte as it was rendered. What stands before it cannot occur earlier, since
 * a quote inside a text is escaped.
 */
export function objectInBody(body: string): string {
  const start = body.indexOf(beforeObject) + beforeObject.length;
  return `{${body.slice(start, -"}}".length)}`;
}
