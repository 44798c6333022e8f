import type { ButtonHTMLAttributes, ReactNode } from "react";
import { WithReason } from "./reason.tsx";

export type Weight = "primary" | "plain" | "quiet" | "danger";

const looks: Readonly<Record<Weight, string>> = {
  primary: "bg-accent text-accent-ink hover:bg-accent-strong border-transparent",
  plain: "bg-surface text-ink border-line-strong hover:bg-hover",
  quiet: "bg-transparent text-ink-soft border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-surface text-negative border-line-strong hover:bg-negative-soft",
};

export function buttonLook(weight: Weight = "plain", small = false): string {
  const size = small ? "h-7 px-2.5 text-sm" : "h-9 px-3.5 text-base";
  return `inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55 aria-disabled:cursor-not-allowed ${size} ${looks[weight]}`;
}

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  readonly weight?: Weight;
  readonly small?: boolean;
  /** True while the operation of the button is in progress. */
  readonly busy?: boolean;
  /**
   * The reason why the button is disabled. It stays in the tab order and shows the reason, because a disabled button
   * without one is a riddle.
   */
  readonly unavailable?: string | null | undefined;
  readonly children: ReactNode;
};

export function Button({
  weight = "plain",
  small = false,
  busy = false,
  unavailable,
  onClick,
  children,
  ...rest
}: Props) {
  const blocked = busy || Boolean(unavailable);
  const button = (
    <button
      type="button"
      {...rest}
      className={buttonLook(weight, small)}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => (blocked ? event.preventDefault() : onClick?.(event))}
    >
      {busy && <Spinner />}
      {children}
    </button>
  );
  return unavailable ? <WithReason reason={unavailable}>{button}</WithReason> : button;
}

function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
