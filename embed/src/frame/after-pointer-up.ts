/**
 * Runs the callback once no pointer is pressed. A press on the pay button first blurs a field. If the field's error
 * message appeared then, the button would move between press and release, and the browser would fire no click.
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
