import {
  type ComponentPropsWithRef,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { useFault } from "./form.tsx";
import type { SelectOption } from "./select-option.ts";

export const fieldStyle =
  "w-full rounded-md border border-field-line bg-surface px-3 text-ink placeholder:text-ink-faint focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent aria-[invalid=true]:border-negative disabled:bg-sunken disabled:text-ink-soft";

type FieldLabels = {
  /** The API's parameter name, by which errors are assigned to the field. */
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  /** A remark beside the label, such as "Recommended". */
  readonly remark?: string | undefined;
  readonly fault?: string | null;
};

type AriaProps = {
  readonly id: string;
  readonly name: string;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
};

/** A label, a field, a hint, and the field's error. */
export function Field({
  name,
  label,
  hint,
  remark,
  fault: given,
  children,
}: FieldLabels & { readonly children: (ariaProps: AriaProps) => ReactNode }) {
  const id = useId();
  const rejected = useFault(name);
  const fault = given ?? rejected;
  const described = [remark && `${id}-remark`, hint && `${id}-hint`, fault && `${id}-fault`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {remark && (
          <span id={`${id}-remark`} className="text-xs text-ink-soft">
            {remark}
          </span>
        )}
      </div>
      {children({
        id,
        name,
        "aria-invalid": fault ? true : undefined,
        "aria-describedby": described || undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} role="alert" className="text-sm text-negative">
          {fault}
        </p>
      )}
    </div>
  );
}

type InputProps<Attributes> = FieldLabels & Omit<Attributes, "name" | "id" | "className">;

export function TextField({
  name,
  label,
  hint,
  remark,
  fault,
  ...rest
}: InputProps<ComponentPropsWithRef<"input">>) {
  return (
    <Field {...{ name, label, hint, remark, fault: fault ?? null }}>
      {(ariaProps) => (
        <input type="text" {...rest} {...ariaProps} className={`${fieldStyle} h-9`} />
      )}
    </Field>
  );
}

/**
 * A field for several lines. It starts with `rows` lines and grows with its text. In a browser without `field-sizing`,
 * it has `rows` lines, and the person can resize it.
 */
export function TextArea({
  name,
  label,
  hint,
  remark,
  fault,
  rows = 4,
  ...rest
}: InputProps<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field {...{ name, label, hint, remark, fault: fault ?? null }}>
      {(ariaProps) => (
        <textarea
          rows={rows}
          {...rest}
          {...ariaProps}
          // With `field-sizing`, browsers ignore the rows.
          style={{ minHeight: `calc(${rows}lh + 1rem + 2px)` }}
          className={`${fieldStyle} field-sizing-content max-h-128 py-2`}
        />
      )}
    </Field>
  );
}

export function SelectField({
  name,
  label,
  hint,
  fault,
  choices,
  ...rest
}: InputProps<SelectHTMLAttributes<HTMLSelectElement>> & {
  readonly choices: readonly SelectOption[];
}) {
  return (
    <Field {...{ name, label, hint, fault: fault ?? null }}>
      {(ariaProps) => (
        <select {...rest} {...ariaProps} className={`${fieldStyle} h-9 pr-8`}>
          {choices.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  name,
  label,
  hint,
  ...rest
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
} & Omit<InputHTMLAttributes<HTMLInputElement>, "name" | "type" | "className">) {
  return (
    <label className="flex items-start gap-2.5">
      <input type="checkbox" name={name} {...rest} className="mt-1 size-4 shrink-0 accent-accent" />
      <span>
        <span className="font-medium">{label}</span>
        {hint && <span className="block text-sm text-ink-soft">{hint}</span>}
      </span>
    </label>
  );
}
