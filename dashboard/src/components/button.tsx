import {
  type ButtonHTMLAttributes,
  cloneElement,
  type ReactElement,
  type ReactNode,
  useId,
} from "react";

export type Weight = "primary" | "plain" | "quiet" | "danger";

const styles: Readonly<Record<Weight, string>> = {
  primary: "bg-accent text-accent-ink hover:bg-accent-strong border-transparent",
  plain: "bg-surface text-ink border-line-strong hover:bg-hover",
  quiet: "bg-transparent text-ink-soft border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-surface text-negative border-line-strong hover:bg-negative-soft",
};

export function buttonStyle(weight: Weight = "plain", small = false): string {
  const size = small ? "h-7 px-2.5 text-sm" : "h-9 px-3.5 text-base";
  return `inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-55 disabled:cursor-not-allowed aria-disabled:opacity-55 aria-disabled:cursor-not-allowed ${size} ${styles[weight]}`;
}

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  readonly weight?: Weight;
  readonly small?: boolean;
  /** True for a button as wide as its container. */
  readonly wide?: boolean;
  /** True while the operation of the button is in progress. */
  readonly busy?: boolean;
  /**
   * The reason why the button is disabled. The button stays in the tab order and shows the reason as a tooltip, so that
   * people do not have to guess it.
   */
  readonly unavailable?: string | null | undefined;
  readonly children: ReactNode;
};

export function Button({
  weight = "plain",
  small = false,
  wide = false,
  busy = false,
  unavailable,
  onClick,
  children,
  ...rest
}: Props) {
  const blocked = busy || Boolean(unavailable);
  return (
    <Tooltip reason={unavailable || null} wide={wide}>
      <button
        type="button"
        {...rest}
        className={`${buttonStyle(weight, small)} ${wide ? "w-full" : ""}`}
        aria-disabled={blocked || undefined}
        aria-busy={busy || undefined}
        onClick={(event) => (blocked ? event.preventDefault() : onClick?.(event))}
      >
        {busy && <Spinner />}
        {children}
      </button>
    </Tooltip>
  );
}

function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}

/**
 * A tooltip for a control, shown on hover and focus. Screen readers read the tooltip out with the control. Without a
 * reason, only the control is shown. The control stays the same element when the reason appears or disappears, so that
 * it does not lose the focus or a click in progress.
 */
function Tooltip({
  reason,
  wide,
  children,
}: {
  reason: string | null;
  wide: boolean;
  children: ReactElement<{ "aria-describedby"?: string }>;
}) {
  const id = useId();
  return (
    <span
      className={reason === null ? "contents" : `group relative ${wide ? "flex" : "inline-flex"}`}
    >
      {reason === null ? children : cloneElement(children, { "aria-describedby": id })}
      {reason !== null && (
        <span
          id={id}
          role="tooltip"
          className="pointer-events-none absolute top-full right-0 z-20 mt-1.5 hidden w-max max-w-64 rounded-md border border-line bg-surface px-2.5 py-1.5 text-left text-xs whitespace-normal text-ink shadow-raised group-focus-within:block group-hover:block"
        >
          {reason}
        </span>
      )}
    </span>
  );
}
