/** The focused element, followed by the elements to focus if it has been removed, nearest first. */
type Path = readonly HTMLElement[];

const paths = new WeakMap<Element, Path>();

/** Stores the path of an open dialog, so that a dialog opened from it returns the focus to the same place. */
export function rememberPath(dialog: HTMLDialogElement, path: Path): void {
  paths.set(dialog, path);
}

/** Returns the focused element, the button of the menu around this element, and the path of the dialog around it. */
export function pathToFocus(): Path {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return [];
  const menu = focused.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const button = menu ? document.getElementById(menu) : null;
  const dialog = focused.closest("dialog");
  return [focused, ...(button ? [button] : []), ...((dialog && paths.get(dialog)) ?? [])];
}

/** Focuses the first element of the path that can be focused, or else the page's heading. */
export function restoreFocus(path: Path): void {
  focusNearest(path);
  // Try again after the next render, which may remove the button that started the operation.
  setTimeout(() => focusNearest(path));
}

function focusNearest(path: Path): void {
  const { activeElement } = document;
  // Leave the focus where the person has moved it.
  if (activeElement && activeElement !== document.body) return;
  const nearest = path.find((one) => one.isConnected && !one.matches(":disabled"));
  const heading = document.querySelector("h1");
  if (!nearest && heading) heading.tabIndex = -1;
  (nearest ?? heading)?.focus();
}
