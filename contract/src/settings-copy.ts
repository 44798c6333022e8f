import Type, { type Static } from "typebox";
import { nullable } from "./nullable.ts";

export const settingKinds = ["webhook_endpoint", "rule", "list"] as const;
export const settingChanges = ["new", "different", "same", "impossible"] as const;

const shown = (mode: string) =>
  nullable(
    Type.String({
      description: `Value in ${mode} mode. Null if the setting does not exist in this mode.`,
    }),
  );

const exampleKey = "block:email";

/** A test mode setting, compared with live mode. */
export const ComparedSetting = Type.Object(
  {
    key: Type.String({
      description: "Identifier of the setting in the request to copy it.",
      examples: [exampleKey],
    }),
    kind: Type.Enum([...settingKinds], { description: "Kind of the setting." }),
    title: Type.String({ description: "Name of the setting, for a person to read." }),
    change: Type.Enum([...settingChanges], {
      description:
        "`new`: the setting does not exist in live mode yet. `different`: the setting exists in live mode with another value. `same`: the setting has the same value in both modes. `impossible`: the setting cannot exist in live mode.",
    }),
    differences: Type.Array(
      Type.Object({
        field: Type.String({ description: "Name of the field." }),
        test: shown("test"),
        live: shown("live"),
      }),
      { description: "Changes that the copy would make." },
    ),
    reason: nullable(Type.String({ description: "Reason why the setting cannot be copied." })),
  },
  { description: "A setting of test mode, compared with live mode." },
);
export type ComparedSetting = Static<typeof ComparedSetting>;

export const SettingsComparison = Type.Object(
  {
    object: Type.Literal("settings_comparison", { description: "Always `settings_comparison`." }),
    livemode: Type.Literal(true, {
      description: "Always `true`, because the copy changes live mode.",
    }),
    settings: Type.Array(ComparedSetting, {
      description: "Every setting of test mode that can exist in live mode.",
    }),
  },
  { description: "Preview of a copy of your settings to live mode." },
);
export type SettingsComparison = Static<typeof SettingsComparison>;

export const CopySettings = Type.Object(
  {
    keys: Type.Array(Type.String({ minLength: 1, maxLength: 255, examples: [exampleKey] }), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: "`key` of each setting to copy.",
    }),
  },
  { additionalProperties: false },
);
export type CopySettings = Static<typeof CopySettings>;
