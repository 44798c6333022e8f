import type { ComponentChildren } from "preact";

type ChoiceFacts = {
  /** Radio buttons with the same group name exclude each other. */
  readonly group: string;
  readonly checked: boolean;
  readonly busy: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
};

/** A native radio button with its label as the target. */
export function Choice({ group, checked, busy, onChoose, children }: ChoiceFacts) {
  return (
    <label class="choice">
      <input
        type="radio"
        name={group}
        checked={checked}
        aria-disabled={busy}
        onClick={(event) => busy && event.preventDefault()}
        onChange={onChoose}
      />
      {children}
    </label>
  );
}
