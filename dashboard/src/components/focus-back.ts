/** Where the focus was, and what led there, nearest first. */
type Path = readonly HTMLElement[];

const paths = new WeakMap<Element, Path>();

/** Of a dialog that is open, so that one which follows it leads back to where both began. */
export function rememberPath(dialog: HTMLDialogElement, path: Path): void {
  paths.set(dialog, path);
}

/** What has the focus now; behind it the button of its menu, and what its dialog was opened from. */
export function pathToFocus(): Path {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return [];
  const menu = focused.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const button = menu ? document.getElementById(menu) : null;
  const dialog = focused.closest("dialog");
  return [focused, ...(button ? [button] : []), ...((dialog && paths.get(dialog)) ?? [])];
}

/** To the nearest that can still have it, else to the heading of the page. */
export function giveFocusBack(path: Path): void {
  focusNearest(path);
  // What was done may take away the very button that it was done with, once the page shows it.
  setTimeout(() => focusNearest(path));
}

function focusNearest(path: Path): void {
  const { activeElement } = document;
  // Whoever has gone on elsewhere stays there.
  if (activeElement && activeElement !== document.body) return;
  const nearest = path.find((one) => one.isConnected && !one.matches(":disabled"));
  const heading = document.querySelector("h1");
  if (!nearest && heading) heading.tabIndex = -1;
  (nearest ?? heading)?.focus();
}
