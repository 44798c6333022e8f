import type { RoutingRule, RoutingSimulation } from "@florin/contract/operator-routing.ts";
import { useMutation } from "@tanstack/react-query";
import { adminPath } from "../../api/admin.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { send } from "../../api/send.ts";
import { brandName, cardNetworks } from "../../components/brand-name.ts";
import { SelectField, TextArea, TextField } from "../../components/field.tsx";
import { Form, textOf } from "../../components/form.tsx";
import { Panel } from "../../components/panel.tsx";
import { parseMoney } from "../../components/parse-amount.ts";
import type { SelectOption } from "../../components/select-option.ts";
import { skipTexts } from "../payments/route-texts.ts";

const networks: readonly SelectOption[] = cardNetworks.map((network) => [
  network,
  brandName(network),
]);
const fundings: readonly SelectOption[] = [
  ["unknown", "Unknown"],
  ["credit", "Credit"],
  ["debit", "Debit"],
  ["prepaid", "Prepaid"],
];

/** Shows which connection a payment would be sent over with the rules of the draft, and why. Sends no payment. */
export function RoutingSimulator({
  account,
  rules,
}: {
  account: string;
  rules: readonly RoutingRule[];
}) {
  // Sends the request directly. An operation of the console would refetch data afterwards, but a simulation changes
  // nothing.
  const simulation = useMutation<RoutingSimulation, ApiProblem, object>({
    mutationFn: (body) =>
      send<RoutingSimulation>({ method: "POST", path: adminPath("/routing/simulate"), body }),
  });
  const submit = (form: FormData) => {
    const currency = textOf(form, "payment.currency")?.toLowerCase() ?? "";
    const amount = textOf(form, "payment.amount") ?? "";
    const country = textOf(form, "payment.card_country")?.toUpperCase();
    simulation.mutate({
      account,
      rules,
      payment: {
        // An amount that cannot be parsed is sent as typed, so that the service names the problem.
        amount: parseMoney(amount, currency) ?? amount,
        currency,
        card_network: textOf(form, "payment.card_network"),
        card_funding: textOf(form, "payment.card_funding"),
        ...(country !== undefined && { card_country: country }),
        metadata: metadataOf(textOf(form, "payment.metadata") ?? ""),
      },
    });
  };
  return (
    <Panel title="Simulation" lead="No payment is sent.">
      <Form
        submit="Simulate"
        weight="plain"
        busy={simulation.isPending}
        problem={simulation.error}
        onSubmit={submit}
      >
        <div className="fields-abreast">
          <TextField
            name="payment.amount"
            label="Amount"
            inputMode="decimal"
            defaultValue="42.00"
          />
          <TextField name="payment.currency" label="Currency" defaultValue="EUR" maxLength={3} />
        </div>
        <div className="fields-abreast">
          <SelectField name="payment.card_network" label="Card network" choices={networks} />
          <SelectField name="payment.card_funding" label="Funding" choices={fundings} />
        </div>
        <TextField
          name="payment.card_country"
          label="Issuer country (optional)"
          hint="For example, DE."
          maxLength={2}
        />
        <TextArea
          name="payment.metadata"
          label="Metadata (optional)"
          hint="One pair per line, such as plan=gold."
          rows={2}
        />
      </Form>
      {simulation.data && <Result {...simulation.data} />}
    </Panel>
  );
}

function Result({ rules, order, skipped }: RoutingSimulation) {
  return (
    <section aria-label="Result" aria-live="polite" className="mt-5 border-t border-line pt-4">
      {order.length === 0 && <p>No connection accepts this payment.</p>}
      <ol className="grid gap-3">
        {order.map(({ assignment, connection_name, merchant_account, rule, share }) => (
          <li key={assignment} className="grid">
            <span className="font-medium wrap-anywhere">
              {connection_name} ({merchant_account})
            </span>
            <span className="text-sm text-ink-soft">
              {rule === null
                ? "By priority."
                : `Rule ${rule}: ${rules.find(({ number }) => number === rule)?.name}.`}{" "}
              {share > 0
                ? `Receives ${share}% of such payments.`
                : "Used if the connections before it do not process the payment."}
            </span>
          </li>
        ))}
        {skipped.map(({ assignment, connection_name, merchant_account, reason }) => (
          <li key={assignment} className="grid text-ink-soft">
            <span className="wrap-anywhere">
              {connection_name} ({merchant_account})
            </span>
            <span className="text-sm">Not used. {skipTexts[reason]}</span>
          </li>
        ))}
      </ol>
      {rules.some(({ matches }) => !matches) && (
        <p className="mt-4 text-sm text-ink-soft">
          Rules that do not match:{" "}
          {rules
            .filter(({ matches }) => !matches)
            .map(({ number, name }) => `${number} (${name})`)
            .join(", ")}
          .
        </p>
      )}
    </section>
  );
}

/** Returns the pairs of lines such as `plan=gold`. A line without `=` has an empty value. */
function metadataOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [key = "", ...value] = line.split("=");
      return [key.trim(), value.join("=").trim()];
    }),
  );
}
