/**
 * Runs the callback as soon as no pointer is pressed. A press on the pay button first blurs a field. If the field's
 * error message appeared during the press, the button would move before the release, and the browser would fire no
 * click.
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
