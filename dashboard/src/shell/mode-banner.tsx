import { useMembership } from "../api/me.ts";
import { useApi } from "../api/use-api.ts";

/** Shows the mode above every page, so that no real refund happens by mistake. */
export function ModeBanner() {
  const { scope } = useApi();
  const name = useMembership()?.account.name;
  if (scope.mode === "test") {
    return (
      <p className="stripes border-b border-line px-4 py-1.5 text-center text-sm text-test-ink">
        <span className="rounded-sm bg-test-ground px-2 py-0.5">
          <strong className="font-semibold tracking-wide">TEST MODE</strong>
          <span className="max-sm:hidden"> · Test cards only. No money moves.</span>
        </span>
      </p>
    );
  }
  return (
    <p className="bg-ink px-4 py-1.5 text-center text-sm text-ground">
      <strong className="font-semibold tracking-wide">LIVE</strong>
      <span className="max-sm:hidden">
        {" "}
        · {name ? `${name}’s real` : "Real"} customers and money
      </span>
    </p>
  );
}
