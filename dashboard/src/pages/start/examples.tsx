import { useState } from "react";
import { Code } from "../../components/code.tsx";
import { Tabs } from "../../components/tabs.tsx";
import type { Snippet } from "./snippets.ts";

/** Shows one example in several languages. */
export function Examples({ label, snippets }: { label: string; snippets: readonly Snippet[] }) {
  const [open, setOpen] = useState("curl");
  return (
    <Tabs
      label={label}
      open={open}
      onOpen={setOpen}
      tabs={snippets.map(({ key, label: name, text }) => ({
        key,
        label: name,
        content: <Code text={text} label={`${label} (${name})`} />,
      }))}
    />
  );
}
