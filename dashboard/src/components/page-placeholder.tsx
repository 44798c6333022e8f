import type { ApiProblem } from "../api/problem.ts";
import { LoadError } from "./load-error.tsx";
import { Page } from "./page.tsx";
import { Skeleton } from "./skeleton.tsx";

type Props = {
  readonly title: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly problem: ApiProblem | null;
  /** The approximate height of the page in lines. */
  readonly lines: number;
};

/** Replaces the page of an object while the object is loading, or after the load failed. */
export function PagePlaceholder({ title, back, problem, lines }: Props) {
  return (
    <Page title={title} back={back}>
      {problem ? <LoadError problem={problem} /> : <Skeleton lines={lines} />}
    </Page>
  );
}
