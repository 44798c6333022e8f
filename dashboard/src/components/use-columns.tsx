import { Columns3 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMe } from "../api/signed-in-person.ts";
import { buttonStyle } from "./button.tsx";
import { Menu, MenuCheck, MenuHeading } from "./menu.tsx";
import type { Column } from "./table.tsx";

/**
 * Returns the columns of a list that are shown, and the menu in which the person selects them. The selection is stored
 * on this device for each person and list. The first column is always shown, because it links to the row's page.
 */
export function useColumns<Row>(
  list: string,
  columns: readonly Column<Row>[],
): [readonly Column<Row>[], ReactNode] {
  const { id } = useMe();
  const key = `florin-columns ${id} ${list}`;
  const [hidden, setHidden] = useState(() => readHidden(key) ?? hiddenFirst(columns));
  const change = (title: string, isShown: boolean) => {
    const titles = isShown ? hidden.filter((one) => one !== title) : [...hidden, title];
    localStorage.setItem(key, JSON.stringify(titles));
    setHidden(titles);
  };
  const shown = columns.filter(({ title }, index) => index === 0 || !hidden.includes(title));
  const picker = (
    <Menu
      trigger={
        <button type="button" className={buttonStyle("quiet", true)}>
          <Columns3 aria-hidden="true" className="size-3.5" />
          Columns
        </button>
      }
    >
      <MenuHeading>Columns</MenuHeading>
      {columns.slice(1).map(({ title }) => (
        <MenuCheck
          key={title}
          checked={!hidden.includes(title)}
          onChange={(isShown) => change(title, isShown)}
        >
          {title}
        </MenuCheck>
      ))}
    </Menu>
  );
  return [shown, picker];
}

function hiddenFirst<Row>(columns: readonly Column<Row>[]): readonly string[] {
  return columns.filter(({ hidden }) => hidden).map(({ title }) => title);
}

/** Returns the stored titles, or null if the person has not changed the columns. */
function readHidden(key: string): readonly string[] | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return Array.isArray(stored) ? stored.filter((title) => typeof title === "string") : null;
  } catch {
    return null;
  }
}
