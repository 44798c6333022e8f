import { useParams, useRouterState } from "@tanstack/react-router";
import { AppLink } from "../components/link.tsx";

const modes = ["test", "live"] as const;

/** Switches to the same page in the other mode. An object exists in one mode only, so its page leads to the list. */
export function ModeSwitch() {
  const { account, mode } = useParams({ strict: false }) as { account: string; mode: string };
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const section = path.split("/").slice(3, 4).join("/");
  return (
    <nav aria-label="Mode" className="grid grid-cols-2 gap-0.5 rounded-md bg-sunken p-0.5">
      {modes.map((one) => (
        <AppLink
          key={one}
          to={`/${account}/${one}${section && `/${section}`}`}
          className={`rounded-sm px-2 py-1 text-center text-sm font-medium ${one === mode ? "bg-surface text-ink shadow-[0_1px_2px_#0002]" : "text-ink-soft hover:text-ink"}`}
        >
          <span aria-current={one === mode ? "true" : undefined}>
            {one === "test" ? "Test" : "Live"}
          </span>
        </AppLink>
      ))}
    </nav>
  );
}
