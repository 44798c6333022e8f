import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";

export const settingKinds = ["webhook_endpoint", "rule", "list"] as const;
export const settingChanges = ["new", "different", "same", "impossible"] as const;

const shown = (mode: string) =>
  nullable(Type.String({ description: `What it is in ${mode} mode; null where it is not there.` }));

const exampleKey = "block:email";

/** A setting of test mode, compared with live mode. */
export const ComparedSetting = Type.Object(
  {
    key: Type.String({
      description: "What it is copied by: its id in test mode, or the list.",
      examples: [exampleKey],
    }),
    kind: Type.Enum([...settingKinds], { description: "What kind of setting it is." }),
    title: Type.String({ description: "What it is, for a person to read." }),
    change: Type.Enum([...settingChanges], {
      description:
        "`new`: not in live mode yet. `different`: there, and not the same. `impossible`: cannot be in live mode.",
    }),
    differences: Type.Array(
      Type.Object({
        field: Type.String({ description: "The field." }),
        test: shown("test"),
        live: shown("live"),
      }),
      { description: "What copying it would change." },
    ),
    reason: nullable(Type.String({ description: "Why it cannot be copied." })),
  },
  { description: "A setting of test mode, and how live mode stands beside it." },
);
export type ComparedSetting = Static<typeof ComparedSetting>;

export const SettingsComparison = Type.Object(
  {
    object: Type.Literal("settings_comparison", { description: "Always `settings_comparison`." }),
    livemode: Type.Literal(true, { description: "Always true: live mode is what would change." }),
    settings: Type.Array(ComparedSetting, {
      description: "Every setting of test mode that live mode could have as well.",
    }),
  },
  { description: "What copying your settings to live mode would change." },
);
export type SettingsComparison = Static<typeof SettingsComparison>;

export const CopySettings = Type.Object(
  {
    keys: Type.Array(Type.String({ minLength: 1, maxLength: 255, examples: [exampleKey] }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: "The `key` of each setting to copy.",
    }),
  },
  { additionalProperties: false },
);
export type CopySettings = Static<typeof CopySettings>;
