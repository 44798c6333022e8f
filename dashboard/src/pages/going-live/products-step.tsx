import { moneyText } from "../../components/amount.ts";
import { CheckField, TextArea, TextField } from "../../components/field.tsx";
import { textOf } from "../../components/form.tsx";
import { parseMoney } from "../../components/parse-amount.ts";
import { SectionForm } from "./section-form.tsx";
import type { StepProps } from "./step-props.ts";

export function ProductsStep({ application, onSaved }: StepProps) {
  const saved = application.sections.products;
  const contentOf = (form: FormData) => {
    const currency = textOf(form, "currency")?.toLowerCase();
    return {
      description: textOf(form, "description"),
      merchant_category_code: textOf(form, "merchant_category_code"),
      currency,
      average_payment: amountIn(textOf(form, "average_payment"), currency),
      monthly_volume: amountIn(textOf(form, "monthly_volume"), currency),
      delivery_days: wholeNumber(textOf(form, "delivery_days")),
      recurring: form.has("recurring"),
    };
  };
  const amount = (minor: number | undefined) =>
    saved && minor !== undefined ? moneyText(minor, saved.currency) : undefined;
  return (
    <SectionForm section="products" contentOf={contentOf} onSaved={onSaved}>
      <TextArea
        name="description"
        label="Products or services, and how you deliver them"
        defaultValue={saved?.description}
      />
      <TextField
        name="merchant_category_code"
        label="Merchant category code"
        hint="Four digits, such as 5734 for software or 5812 for restaurants."
        inputMode="numeric"
        defaultValue={saved?.merchant_category_code}
      />
      <div className="fields-abreast">
        <TextField
          name="currency"
          label="Currency"
          hint="Three-letter code, such as EUR."
          maxLength={3}
          defaultValue={saved?.currency.toUpperCase()}
        />
        <TextField
          name="average_payment"
          label="Average payment"
          inputMode="decimal"
          defaultValue={amount(saved?.average_payment)}
        />
        <TextField
          name="monthly_volume"
          label="Monthly volume"
          inputMode="decimal"
          defaultValue={amount(saved?.monthly_volume)}
        />
      </div>
      <TextField
        name="delivery_days"
        label="Maximum days from payment to delivery"
        inputMode="numeric"
        defaultValue={saved?.delivery_days}
      />
      <CheckField
        name="recurring"
        label="Recurring payments"
        hint="For example, subscriptions or installments."
        defaultChecked={saved?.recurring}
      />
    </SectionForm>
  );
}

/** Returns the amount. Text that is not an amount is sent as typed, so that the service rejects it. */
function amountIn(text: string | undefined, currency: string | undefined) {
  if (text === undefined || !currency || !/^[a-z]{3}$/.test(currency)) return text;
  return parseMoney(text, currency) ?? text;
}

function wholeNumber(text: string | undefined) {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}
