import type { ApiProblem } from "../api/problem.ts";
import { Page } from "./page.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Unread } from "./unread.tsx";

type Props = {
  readonly title: string;
  readonly back: { readonly to: string; readonly label: string };
  readonly problem: ApiProblem | null;
  /** How tall it will be, about. */
  readonly lines: number;
};

/** The page of one object until it is read, or where it cannot be. */
export function UnreadPage({ title, back, problem, lines }: Props) {
  return (
    <Page title={title} back={back}>
      {problem ? <Unread problem={problem} /> : <Skeleton lines={lines} />}
    </Page>
  );
}
