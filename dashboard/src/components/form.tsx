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
import { faultInWords } from "./fault-in-words.ts";
import { Problem } from "./problem.tsx";

/** What was refused of a form, so that each field can say what is its own fault. */
const Refused = createContext<ApiProblem | null>(null);

/** The fault of one field, by the name the API knows it by; of a list in one field, that of each of its entries. */
export function useFault(name: string): string | null {
  const problem = useContext(Refused);
  if (!problem?.param) return null;
  return problem.param === name || entryIn(name, problem.param) ? faultInWords(problem) : null;
}

function entryIn(name: string, param: string): boolean {
  return param.startsWith(`${name}[`) && /^\[\d+\]$/.test(param.slice(name.length));
}

type Props = {
  readonly submit: string;
  readonly weight?: Weight;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  /** What the form as a whole lacks; said above the button. */
  readonly fault?: string | null;
  /** The fields whose faults are said beside them; any other problem is said above the button. */
  readonly onSubmit: (form: FormData) => void;
  readonly onCancel?: () => void;
  readonly children: ReactNode;
};

/** Fields and a button. The first field at fault gets the focus. */
export function Form({
  submit,
  weight = "primary",
  busy,
  problem,
  fault,
  onSubmit,
  onCancel,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!problem) return;
    const faulty = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    // What is folded away cannot have the focus, and nobody would read what is wrong with it.
    const folded = faulty?.closest("details");
    if (folded) folded.open = true;
    faulty?.focus();
  }, [problem]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!busy) onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Refused value={problem}>
      <form ref={form} onSubmit={send} noValidate className="grid grid-cols-1 gap-5">
        {children}
        {problem && <ProblemOfForm problem={problem} form={form} />}
        {fault && (
          <p role="alert" className="text-sm text-negative">
            {fault}
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" weight={weight} busy={busy}>
            {submit}
          </Button>
          {onCancel && (
            <Button weight="quiet" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      </form>
    </Refused>
  );
}

/** Said once: beside its field where it has one, else here. */
function ProblemOfForm({
  problem,
  form,
}: {
  problem: ApiProblem;
  form: React.RefObject<HTMLFormElement | null>;
}) {
  const { param } = problem;
  return param !== null && saysFaults(form.current, param) ? null : <Problem problem={problem} />;
}

/** Whether there is a field for it that has a place for words. Boxes to tick have none. */
function saysFaults(form: HTMLFormElement | null, param: string): boolean {
  const list = param.replace(/\[\d+\]$/, "");
  return [param, list].some((name) => {
    const field = form?.elements.namedItem(name);
    return field instanceof Element && !field.matches("[type=checkbox]");
  });
}

/** The text of a field, without the blanks around it; undefined where it is empty. */
export function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
