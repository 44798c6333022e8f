import type { Account } from "@florin/contract/account.ts";
import { textColorOn } from "@florin/contract/color-contrast.ts";

type Props = {
  readonly account: Account;
  /** The colors that are shown, saved or not. */
  readonly brand: string;
  readonly background: string;
};

/** A small picture of the payment page with the chosen colors. */
export function PaymentPagePreview({ account, brand, background }: Props) {
  const { name, logo_path, support_email } = account;
  const text = textColorOn(background);
  return (
    <figure className="grid content-start gap-2">
      <div
        aria-hidden="true"
        className="grid gap-4 rounded-lg border border-line p-5"
        style={{ background, color: text }}
      >
        <div className="flex min-w-0 items-center gap-2 font-semibold">
          {logo_path ? (
            <img src={logo_path} alt="" className="h-8 max-w-24 rounded-sm object-contain" />
          ) : (
            <span
              className="grid size-8 shrink-0 place-items-center rounded-md"
              style={{ background: text, color: background }}
            >
              {[...name][0]?.toUpperCase()}
            </span>
          )}
          <span className="truncate">{name}</span>
        </div>
        <div className="text-2xl font-semibold">$42.00</div>
        <div
          className="grid gap-2.5 rounded-lg p-4 text-sm"
          style={{ background: "#ffffff", color: "#171a18" }}
        >
          <span className="font-semibold">Pay by card</span>
          <span
            className="rounded-md border px-2.5 py-1.5"
            style={{ borderColor: "#89918c", color: "#5a625d" }}
          >
            1234 1234 1234 1234
          </span>
          <span
            className="rounded-md px-3 py-2 text-center font-semibold"
            style={{ background: brand, color: textColorOn(brand) }}
          >
            Pay $42.00
          </span>
          {support_email && (
            <span className="text-center text-xs wrap-anywhere" style={{ color: "#5a625d" }}>
              Questions about this payment?
              <br />
              {support_email}
            </span>
          )}
        </div>
      </div>
      <figcaption className="text-sm text-ink-soft">Preview of the payment page.</figcaption>
    </figure>
  );
}
