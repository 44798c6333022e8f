import type { ComparedSetting } from "@florin/contract/settings-copy.ts";
import { Badge, inWords, type Tone } from "../../components/badge.tsx";
import { NoValue } from "../../components/no-value.tsx";

const kinds: Readonly<Record<ComparedSetting["kind"], string>> = {
  webhook_endpoint: "Webhook endpoint",
  rule: "Rule",
  list: "List",
};

const changes: Readonly<Record<ComparedSetting["change"], readonly [Tone, string]>> = {
  new: ["info", "New"],
  different: ["warning", "Changed"],
  same: ["positive", "Unchanged"],
  impossible: ["neutral", "Cannot be copied"],
};

/** One setting, with the changes that copying it would make in live mode. It can be selected if the modes differ. */
export function SettingRow({ setting }: { setting: ComparedSetting }) {
  const { key, kind, title, change, differences, reason } = setting;
  const [tone, word] = changes[change];
  const what = (
    <span className="grid min-w-0 gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{title}</span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      <span className="text-sm text-ink-soft">{reason ?? kinds[kind]}</span>
    </span>
  );
  return (
    <li className="grid gap-2">
      {change === "new" || change === "different" ? (
        <label className="flex items-start gap-2.5">
          <input
            type="checkbox"
            name="keys"
            value={key}
            defaultChecked={change === "new"}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          {what}
        </label>
      ) : (
        what
      )}
      {differences.length > 0 && <Differences differences={differences} />}
    </li>
  );
}

function Differences({ differences }: Pick<ComparedSetting, "differences">) {
  return (
    <div className="ml-6.5 overflow-x-auto rounded-md border border-line">
      <table className="w-full table-fixed text-left text-sm">
        <thead>
          <tr className="text-xs text-ink-soft">
            <th scope="col" className="w-1/4 px-3 py-1.5 font-medium">
              Field
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Current live value
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              New live value
            </th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, test, live }) => (
            <tr key={field} className="border-t border-line align-top">
              <th scope="row" className="px-3 py-1.5 font-normal wrap-anywhere text-ink-soft">
                {inWords(field)}
              </th>
              <td className="px-3 py-1.5 wrap-anywhere">{live ?? <NoValue />}</td>
              <td className="px-3 py-1.5 font-medium wrap-anywhere">{test ?? <NoValue />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
