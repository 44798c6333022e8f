import { type Fragment, fragment } from "./sql.ts";

/** The columns of a statement, with the position of each column by its name. */
export type Columns<Name extends string> = {
  readonly list: Fragment;
  readonly at: Readonly<Record<Name, number>>;
};

/** Names the columns of a statement whose rows are read as text. */
export function columnsOf<Name extends string>(
  expressions: Readonly<Record<Name, Fragment>>,
): Columns<Name> {
  const names = Object.keys(expressions) as Name[];
  const list = Object.values<Fragment>(expressions).reduce((all, one) => fragment`${all}, ${one}`);
  return {
    list,
    at: Object.fromEntries(names.map((name, index) => [name, index])) as Columns<Name>["at"],
  };
}
