/** What stands before an event's object in its body (contract §6). */
export const beforeObject = '"data":{"object":{';

/**
 * The object of an event's body, to the byte as it was rendered, if it stands alone and not before what its fields were
 * previously. What stands before it cannot occur earlier, since a quote inside a text is escaped.
 */
export function objectInBody(body: string): string {
  const start = body.indexOf(beforeObject) + beforeObject.length;
  return `{${body.slice(start, -"}}".length)}`;
}
