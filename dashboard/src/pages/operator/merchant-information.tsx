import type { BusinessSection } from "@florin/contract/application.ts";
import type { ReviewedApplication } from "@florin/contract/operator.ts";
import { Download } from "lucide-react";
import { adminPath } from "../../api/admin.ts";
import { formatMoney } from "../../components/amount.ts";
import { inWords } from "../../components/badge.tsx";
import { KeyValues } from "../../components/key-values.tsx";
import { Panel } from "../../components/panel.tsx";
import { documentNames } from "../going-live/documents-step.tsx";

/** The merchant's information, section by section. */
export function MerchantInformation({ review }: { review: ReviewedApplication }) {
  const { sections, documents, account } = review.application;
  const { business, people, bank_account: bank, products, website } = sections;
  return (
    <>
      <Panel title="Business">
        {business ? (
          <KeyValues
            items={[
              ["Legal name", business.legal_name],
              ["Business structure", inWords(business.structure)],
              ["Registration number", business.registration_number],
              ["Tax ID", business.tax_id],
              ["Address", addressText(business.address)],
              ["Phone", business.phone],
            ]}
          />
        ) : (
          <NotProvided />
        )}
      </Panel>
      <Panel title="People">
        {people ? (
          <div className="grid gap-5">
            {people.owners.map((owner) => (
              <KeyValues
                key={owner.email}
                items={[
                  ["Name", `${owner.first_name} ${owner.last_name}`],
                  ["Role", owner.representative ? "Legal representative" : "Owner"],
                  ["Ownership", `${owner.ownership_percent}%`],
                  ["Date of birth", owner.date_of_birth],
                  ["Email", owner.email],
                  ["Address", addressText(owner.address)],
                ]}
              />
            ))}
          </div>
        ) : (
          <NotProvided />
        )}
      </Panel>
      <Panel title="Bank account" lead="Only the last four characters are visible">
        {bank ? (
          <KeyValues
            items={[
              ["Account holder", bank.holder_name],
              ["Account number", `Ending in ${bank.last4}`],
              ["Bank", [bank.routing_number, bank.country].filter(Boolean).join(", ")],
              ["Currency", bank.currency.toUpperCase()],
            ]}
          />
        ) : (
          <NotProvided />
        )}
      </Panel>
      <Panel title="Products">
        {products ? (
          <KeyValues
            items={[
              ["Description", products.description],
              ["Merchant category code", products.merchant_category_code],
              ["Average payment", formatMoney(products.average_payment, products.currency)],
              ["Monthly volume", formatMoney(products.monthly_volume, products.currency)],
              ["Delivery", `Within ${products.delivery_days} days`],
              ["Recurring", products.recurring ? "Yes" : "No"],
            ]}
          />
        ) : (
          <NotProvided />
        )}
      </Panel>
      <Panel title="Website">
        {website ? (
          <KeyValues
            items={[
              ["Website", <ExternalLink key="url" url={website.url} />],
              ["Terms", <ExternalLink key="terms" url={website.terms_url} />],
              ["Privacy policy", <ExternalLink key="privacy" url={website.privacy_url} />],
              ["Refund policy", <ExternalLink key="refunds" url={website.refund_policy_url} />],
              [
                "Support",
                [website.support_email, website.support_phone].filter(Boolean).join(", "),
              ],
            ]}
          />
        ) : (
          <NotProvided />
        )}
      </Panel>
      <Panel title="Documents" lead="Each download is recorded in the audit log">
        {documents.length === 0 ? (
          <NotProvided />
        ) : (
          <ul className="grid gap-2">
            {documents.map(({ id, kind, file_name, size }) => (
              <li key={id}>
                <a
                  className="link inline-flex items-start gap-2"
                  href={adminPath(`/accounts/${account}/application/documents/${id}`)}
                  download
                >
                  <Download aria-hidden="true" className="mt-1 size-3.5 shrink-0" />
                  <span>
                    {documentNames.get(kind)}
                    <span className="block text-sm break-all text-ink-soft">
                      <bdi>{file_name}</bdi> · {Math.max(1, Math.round(size / 1024))} KB
                    </span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

function NotProvided() {
  return <p className="text-ink-faint">Not provided yet</p>;
}

/** A link to a merchant's page, without a referrer. A URL with any other scheme than http or https stays plain text. */
function ExternalLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="link break-all">
      {url}
    </a>
  );
}

function addressText(address: BusinessSection["address"]): string {
  const { line1, line2, postal_code, city, state, country } = address;
  return [line1, line2, `${postal_code} ${city}`, state, country].filter(Boolean).join(", ");
}
