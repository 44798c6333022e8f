type Properties = Readonly<Record<string, string | ((event: Event) => void)>>;

/**
 * Creates an element. A property whose value is a function becomes an event listener, and one whose value is a string
 * becomes an attribute.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "function") created.addEventListener(key, value);
    else created.setAttribute(key, value);
  }
  created.append(...children);
  return created;
}
