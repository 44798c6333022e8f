import Type, { type Static } from "typebox";
import { decisionOutcomes } from "./decision.ts";
import { id, idParameter } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { metadata, metadataChange } from "./metadata.ts";
import { nullable } from "./nullable.ts";
import { objectFields } from "./object-fields.ts";
import { text } from "./text.ts";

export const ruleStatuses = ["enabled", "disabled"] as const;
export type RuleStatus = (typeof ruleStatuses)[number];

/** The maximum number of rules per merchant and mode. */
export const maxRules = 100;

const outcome = () =>
  Type.Enum([...decisionOutcomes], {
    description:
      "Action for matching payments. If several rules match, the order of precedence is `approve`, `decline`, `review`, `challenge`.",
    examples: ["review"],
  });
const status = () =>
  Type.Enum([...ruleStatuses], {
    default: "enabled",
    description:
      "Status of the rule. A disabled rule is not evaluated for payments, but you can try it on past charges.",
  });
const exampleExpression = "amount > 50000";
const expression = () =>
  text(
    1000,
    `Condition in the Common Expression Language, such as \`${exampleExpression}\`.`,
    exampleExpression,
  );
const shownExpression = (description: string) =>
  Type.String({ description, examples: [exampleExpression] });
const description = () => text(200, "Your description of the rule.");

/** A merchant's rule for payments that meet a condition. */
export const Rule = Type.Object(
  {
    ...objectFields("rule", "rule"),
    expression: shownExpression("The condition, as it was sent."),
    outcome: outcome(),
    status: status(),
    disabled_reason: nullable(
      Type.String({
        description:
          "Reason why the service disabled the rule, whose expression is no longer accepted. Null if the service did not disable the rule.",
      }),
    ),
    description: nullable(Type.String({ description: "Your description of the rule." })),
    metadata: metadata(),
  },
  { description: "A condition, and the action for payments that match it." },
);
export type Rule = Static<typeof Rule>;

export const CreateRule = Type.Object(
  {
    expression: expression(),
    outcome: outcome(),
    status: Type.Optional(status()),
    description: Type.Optional(description()),
    metadata: Type.Optional(metadata()),
  },
  { additionalProperties: false },
);
export type CreateRule = Static<typeof CreateRule>;

export const UpdateRule = Type.Object(
  {
    expression: Type.Optional(expression()),
    outcome: Type.Optional(outcome()),
    status: Type.Optional(status()),
    description: Type.Optional(nullable(description())),
    metadata: Type.Optional(metadataChange()),
  },
  { additionalProperties: false },
);
export type UpdateRule = Static<typeof UpdateRule>;

export const ListRules = listQuery({
  status: oneOrMore(ruleStatuses, "Status to filter by."),
});
export type ListRules = Static<typeof ListRules>;

export const RuleDeleted = Type.Object(
  {
    id: id("rule", "ID of the deleted rule."),
    object: Type.Literal("rule", { description: "Always `rule`." }),
    deleted: Type.Literal(true, { description: "Always `true`." }),
  },
  { description: "Deleted rule." },
);
export type RuleDeleted = Static<typeof RuleDeleted>;

/**
 * The bounds of a rule trial. `max` and `default` are numbers of past charges on which the rule is tried, newest first.
 * `shown` is the maximum number of matching charges in the response.
 */
export const trialBounds = { max: 1000, default: 500, shown: 20 } as const;

export const CreateRuleTrial = Type.Object(
  {
    expression: Type.Optional(expression()),
    rule_id: Type.Optional(idParameter("rule", "Rule to try, instead of an expression.")),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: trialBounds.max,
        default: trialBounds.default,
        description: "Number of your latest charges to try the rule on.",
      }),
    ),
  },
  { additionalProperties: false, examples: [{ expression: exampleExpression }] },
);
export type CreateRuleTrial = Static<typeof CreateRuleTrial>;

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The result of trying a rule on past charges. It is not stored. */
export const RuleTrial = Type.Object(
  {
    object: Type.Literal("rule_trial", { description: "Always `rule_trial`." }),
    livemode: Type.Boolean({ description: "True in live mode, false in test mode." }),
    expression: shownExpression("The condition that was tried."),
    tried: count("Number of charges that the rule was tried on."),
    matched: count("Number of charges that matched."),
    matched_succeeded: count("Number of matching charges that succeeded or are authorized."),
    matched_failed: count("Number of matching charges that failed."),
    charges: Type.Array(id("ch", "Charge that matched."), {
      description: "Latest charges that matched.",
    }),
  },
  { description: "Result of a rule on past charges." },
);
export type RuleTrial = Static<typeof RuleTrial>;
