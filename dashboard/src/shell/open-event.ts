/** Events that open a dialog of the shell. Any component can dispatch them. */
export const paletteEvent = "florin-palette";
export const shortcutsEvent = "florin-shortcuts";

export function openCommandPalette(): void {
  dispatchEvent(new Event(paletteEvent));
}

export function openShortcuts(): void {
  dispatchEvent(new Event(shortcutsEvent));
}
