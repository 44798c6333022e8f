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

/** The fault of one field, by the name the API knows it by. */
export function useFault(name: string): string | null {
  const problem = useContext(Refused);
  return problem?.param === name ? faultInWords(problem) : null;
}

type Props = {
  readonly submit: string;
  readonly weight?: Weight;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
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
  onSubmit,
  onCancel,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
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
  const hasField = param !== null && form.current?.elements.namedItem(param);
  return hasField ? null : <Problem problem={problem} />;
}

/** The text of a field, without the blanks around it; undefined where it is empty. */
export function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
