/**
 * Returns the entered fields whose values differ from those that the form showed at first. A form sends only these
 * fields, so that saving does not revert what another person has changed in the meantime.
 */
export function changedFields<Entered extends object>(
  entered: Entered,
  shown: { readonly [Field in keyof Entered]: unknown },
): Partial<Entered> {
  const fields = Object.keys(entered) as (keyof Entered)[];
  const changed = fields.filter((field) => !isEqual(entered[field], shown[field]));
  return Object.fromEntries(changed.map((field) => [field, entered[field]])) as Partial<Entered>;
}

/** Compares the elements of lists in any order, such as the event types of a webhook endpoint. */
function isEqual(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((element) => other.includes(element));
}
