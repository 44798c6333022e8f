type Properties = Readonly<Record<string, string | ((event: Event) => void)>>;

/** Creates an element. A function becomes the listener of the event with its name, and a string an attribute. */
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
