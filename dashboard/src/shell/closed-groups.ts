import { useState } from "react";

const key = "florin-sidebar-closed";

function storedGroups(): readonly string[] {
  return (localStorage.getItem(key) ?? "").split(",").filter(Boolean);
}

/** Returns the groups of the sidebar that were closed on this device, and a function that opens or closes one. */
export function useClosedGroups() {
  const [closed, setClosed] = useState(storedGroups);
  const toggle = (label: string) => {
    const next = closed.includes(label)
      ? closed.filter((one) => one !== label)
      : [...closed, label];
    setClosed(next);
    localStorage.setItem(key, next.join(","));
  };
  return [closed, toggle] as const;
}
