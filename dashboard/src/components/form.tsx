import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
} from "react";
import type { ApiProblem } from "../api/problem.ts";
import { Button, type Weight } from "./button.tsx";
import { fieldErrorMessage } from "./field-error-message.ts";
import { Problem } from "./problem.tsx";

/** The error of the last submission, which the fields show. */
const Rejected = createContext<ApiProblem | null>(null);

/**
 * Returns the error of the field for an API parameter. A field that holds a list also returns the errors of its
 * entries.
 */
export function useFault(name: string): string | null {
  const problem = useContext(Rejected);
  if (!problem?.param) return null;
  return problem.param === name || entryIn(name, problem.param) ? fieldErrorMessage(problem) : null;
}

function entryIn(name: string, param: string): boolean {
  return param.startsWith(`${name}[`) && /^\[\d+\]$/.test(param.slice(name.length));
}

type Props = {
  readonly submit: string;
  readonly weight?: Weight;
  readonly busy: boolean;
  /** The reason why the form cannot be submitted. */
  readonly unavailable?: string | null;
  readonly problem: ApiProblem | null;
  /** The error of the form as a whole, shown above the button. */
  readonly fault?: string | null;
  readonly onSubmit: (form: FormData) => void;
  readonly onCancel?: () => void;
  /** True for a form whose button is as wide as its fields, on a page with nothing else. */
  readonly wide?: boolean;
  /** More buttons beside the submit button. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
};

/** A form with fields and a button. The first invalid field gets the focus. */
export function Form({
  submit,
  weight = "primary",
  busy,
  unavailable,
  problem,
  fault,
  onSubmit,
  onCancel,
  wide = false,
  beside,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!problem) return;
    const faulty = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    // Opens the section of the field. A field in a closed section cannot take the focus, and its error would be hidden.
    const closedSection = faulty?.closest("details");
    if (closedSection) closedSection.open = true;
    faulty?.focus();
  }, [problem]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!busy && !unavailable) onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Rejected value={problem}>
      <form ref={form} onSubmit={send} noValidate className="flex flex-col gap-5">
        {children}
        {problem && <ProblemOfForm problem={problem} form={form} />}
        {fault && (
          <p role="alert" className="text-sm text-negative">
            {fault}
          </p>
        )}
        <div className="form-buttons flex flex-wrap items-center gap-2">
          <Button type="submit" weight={weight} wide={wide} busy={busy} unavailable={unavailable}>
            {submit}
          </Button>
          {onCancel && (
            <Button weight="quiet" onClick={onCancel}>
              Cancel
            </Button>
          )}
          {beside}
        </div>
      </form>
    </Rejected>
  );
}

/** Shows an error above the button, unless a field already shows it. */
function ProblemOfForm({
  problem,
  form,
}: {
  problem: ApiProblem;
  form: React.RefObject<HTMLFormElement | null>;
}) {
  const { param } = problem;
  return param !== null && hasFieldFor(form.current, param) ? null : <Problem problem={problem} />;
}

/** Returns whether the form has a field that can show an error of the parameter. Checkboxes cannot show errors. */
function hasFieldFor(form: HTMLFormElement | null, param: string): boolean {
  const list = param.replace(/\[\d+\]$/, "");
  return [param, list].some((name) => {
    const field = form?.elements.namedItem(name);
    return field instanceof Element && !field.matches("[type=checkbox]");
  });
}

/** Returns the trimmed text of a field, or undefined if it is empty. */
export function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
