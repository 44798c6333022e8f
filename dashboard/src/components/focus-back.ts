/** The focused element and the elements that led to it, nearest first. */
type Path = readonly HTMLElement[];

const paths = new WeakMap<Element, Path>();

/** Stores the path of an open dialog, so that a dialog opened from it returns the focus to the same place. */
export function rememberPath(dialog: HTMLDialogElement, path: Path): void {
  paths.set(dialog, path);
}

/** Returns the focused element, its menu's button, and the path of its dialog. */
export function pathToFocus(): Path {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return [];
  const menu = focused.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const button = menu ? document.getElementById(menu) : null;
  const dialog = focused.closest("dialog");
  return [focused, ...(button ? [button] : []), ...((dialog && paths.get(dialog)) ?? [])];
}

/** Focuses the nearest element of the path that can take the focus, or else the page's heading. */
export function giveFocusBack(path: Path): void {
  focusNearest(path);
  // The operation may remove the button that started it on the next render.
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
