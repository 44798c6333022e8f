/**
 * Runs something once no finger or mouse button is down. A press on "Pay" first takes the focus out of a field; if its
 * problem appeared under it at that moment, the button would move away between press and release, and the click be lost.
 */
export function afterPress(run: () => void): void {
  if (pressed) addEventListener("pointerup", () => setTimeout(run), { once: true, capture: true });
  else run();
}

let pressed = false;
const press = (down: boolean) => () => {
  pressed = down;
};
addEventListener("pointerdown", press(true), true);
addEventListener("pointerup", press(false), true);
addEventListener("pointercancel", press(false), true);
