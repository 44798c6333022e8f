/**
 * Runs the callback once no pointer is down. A press on "Pay" first takes the focus from a field. If its error message
 * appeared at that moment, the button would move between press and release and the click would be lost.
 */
export function afterPointerUp(run: () => void): void {
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
