import Type, { type Static } from "typebox";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFacts, unixTime } from "./object-facts.ts";
import { keyPermissions } from "./permissions.ts";
import { text } from "./text.ts";

export const apiKeyStatuses = ["active", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

const keyPermission = Type.Enum([...keyPermissions]);

const exampleName = "Shop server";

const apiKeyFacts = {
  ...objectFacts("key", "api_key"),
  name: Type.String({ description: "What you call it.", examples: [exampleName] }),
  beginning: Type.String({
    description: "How its text begins: `sk_test_`, `sk_live_`, `rk_test_` or `rk_live_`.",
  }),
  last4: Type.String({ description: "How its text ends." }),
  permissions: nullable(
    Type.Array(keyPermission, {
      description: "What a restricted key may do; null for a secret key, which may do all of it.",
    }),
  ),
  status: Type.Enum([...apiKeyStatuses], { description: "Only an active key opens anything." }),
  created_by: nullable(id("per", "Who made it; null for the first key of a demo.")),
  last_used_at: nullable(unixTime("When it was last used, to the minute")),
  expires_at: nullable(
    unixTime("Until when it is good beside its successor; null unless it was rolled"),
  ),
  revoked_at: nullable(unixTime("When it was revoked")),
};

/** An API key of a merchant's server, without its secret. */
export const ApiKey = Type.Object(apiKeyFacts, {
  description: "A key by which your server is known. Its text is shown once, when it is made.",
});
export type ApiKey = Static<typeof ApiKey>;

/** The response to a creation and to a roll, the only two that contain the key itself. */
export const ApiKeyWithSecret = Type.Object(
  {
    ...apiKeyFacts,
    secret: Type.String({
      pattern: "^[sr]k_(test|live)_[0-9A-Za-z]{38}$",
      description: "The key. It is shown now and never again.",
    }),
  },
  { description: "An API key with its text." },
);
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

const name = text(100, "What you call it, such as the server that has it.", exampleName);

export const CreateApiKey = Type.Object(
  {
    name,
    permissions: Type.Optional(
      Type.Array(keyPermission, {
        minItems: 1,
        uniqueItems: true,
        description: "What it may do. Left out: everything a secret key may.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CreateApiKey = Static<typeof CreateApiKey>;

export const UpdateApiKey = Type.Object({ name }, { additionalProperties: false });
export type UpdateApiKey = Static<typeof UpdateApiKey>;

export const RollApiKey = Type.Object(
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 86_400,
        description: "For how many seconds the old key is still good beside the new one.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RollApiKey = Static<typeof RollApiKey>;

export const ListApiKeys = listQuery({
  status: oneOrMore(apiKeyStatuses, "Only keys in this status."),
});
export type ListApiKeys = Static<typeof ListApiKeys>;
