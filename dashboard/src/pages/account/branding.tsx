import type { Account } from "@florin/contract/account.ts";
import { contrastOf, minButtonContrast, textColorOn } from "@florin/contract/color-contrast.ts";
import { useState } from "react";
import { Field, fieldStyle } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { LogoField } from "./logo-field.tsx";
import { PaymentPagePreview } from "./payment-page-preview.tsx";
import { useProfileChange } from "./use-profile-change.ts";

type Props = { readonly account: Account; readonly unavailable: string | null };

const defaultColors = { brand: "#0b5d45", background: "#f4f5f3" };

/** The logo and the colors of the payment page, with a preview. */
export function Branding({ account, unavailable }: Props) {
  const [brand, setBrand] = useState(account.brand_color ?? "");
  const [background, setBackground] = useState(account.background_color ?? "");
  const change = useProfileChange("Branding saved.");
  const save = () =>
    void change.run({ brand_color: brand || null, background_color: background || null });
  return (
    <Panel title="Branding">
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid content-start gap-6">
          <LogoField account={account} unavailable={unavailable} />
          <Form
            submit="Save colors"
            busy={change.pending}
            unavailable={unavailable}
            problem={change.problem}
            onSubmit={save}
          >
            <fieldset
              disabled={unavailable !== null}
              className="grid items-start gap-5 sm:grid-cols-2"
            >
              <legend className="sr-only">Colors</legend>
              <ColorField
                name="brand_color"
                label="Button color"
                hint={contrastHint(brand || defaultColors.brand)}
                fault={brandFault(brand)}
                value={brand}
                fallback={defaultColors.brand}
                onChange={setBrand}
              />
              <ColorField
                name="background_color"
                label="Background color"
                hint={backgroundHint(background || defaultColors.background)}
                fault={formatFault(background)}
                value={background}
                fallback={defaultColors.background}
                onChange={setBackground}
              />
            </fieldset>
          </Form>
        </div>
        <PaymentPagePreview
          account={account}
          brand={formatFault(brand) === null && brand ? brand : defaultColors.brand}
          background={
            formatFault(background) === null && background ? background : defaultColors.background
          }
        />
      </div>
    </Panel>
  );
}

type ColorFieldProps = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly fault: string | null;
  readonly value: string;
  /** Shown by the color input while no color is set. */
  readonly fallback: string;
  readonly onChange: (value: string) => void;
};

/** A color as text, which can be empty, and a color input, which cannot. */
function ColorField({ name, label, hint, fault, value, fallback, onChange }: ColorFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} fault={fault}>
      {(ariaProps) => (
        <span className="flex gap-2">
          <input
            type="color"
            aria-label={`Choose ${label.toLowerCase()}`}
            value={isColor(value) ? value : fallback}
            onChange={({ target }) => onChange(target.value)}
            className={`${fieldStyle} h-9 w-12! cursor-pointer p-1!`}
          />
          <input
            type="text"
            {...ariaProps}
            value={value}
            placeholder="Default"
            spellCheck={false}
            autoComplete="off"
            maxLength={7}
            onChange={({ target }) => onChange(target.value.trim())}
            className={`${fieldStyle} h-9 font-mono`}
          />
        </span>
      )}
    </Field>
  );
}

function isColor(value: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(value);
}

function formatFault(value: string): string | null {
  return value === "" || isColor(value) ? null : "Enter a color such as #0b5d45.";
}

function brandFault(value: string): string | null {
  const fault = formatFault(value);
  if (fault !== null || value === "") return fault;
  const contrast = contrastOf(value, "#ffffff");
  if (contrast >= minButtonContrast) return null;
  return `Buttons in this color are hard to see on white (${ratio(contrast)}). Choose a darker color.`;
}

/** Describes the color and contrast of the text that the service shows on a background of the given color. */
function contrastHint(color: string): string {
  if (!isColor(color)) return "Leave empty for the default.";
  const text = textColorOn(color);
  const name = text === "#ffffff" ? "White" : "Black";
  return `${name} text, contrast ${ratio(contrastOf(text, color))}.`;
}

/**
 * Describes the text on the background color. For a light color, adds that the payment page does not use it in the dark
 * color scheme.
 */
function backgroundHint(color: string): string {
  const isLight = isColor(color) && textColorOn(color) !== "#ffffff";
  return `${contrastHint(color)}${isLight ? " Not used in dark mode." : ""}`;
}

/** Rounds down, so that an insufficient contrast is never shown as sufficient. */
function ratio(contrast: number): string {
  return `${(Math.floor(contrast * 10) / 10).toFixed(1)}:1`;
}
