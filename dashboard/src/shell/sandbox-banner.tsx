/** Shown above every page in live mode of an instance whose live charges go to the acquirers' sandboxes. */
export function SandboxBanner() {
  return (
    <p className="stripes border-b border-line px-4 py-1.5 text-center text-sm text-test-ink">
      <span className="rounded-sm bg-test-ground px-2 py-0.5">
        <strong className="font-semibold tracking-wide">SANDBOX</strong>
        <span className="max-sm:hidden">
          {" "}
          · Live mode uses the acquirers’ sandboxes. No money moves.
        </span>
      </span>
    </p>
  );
}
