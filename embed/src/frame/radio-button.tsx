import type { ComponentChildren } from "preact";

type RadioButtonProps = {
  /** The name of the radio group. */
  readonly group: string;
  readonly checked: boolean;
  readonly busy: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
};

/** A native radio button. Its whole label can be clicked. */
export function RadioButton({ group, checked, busy, onChoose, children }: RadioButtonProps) {
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
