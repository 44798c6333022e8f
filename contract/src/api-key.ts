import Type, { type Static } from "typebox";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { objectFields, unixTime } from "./object-fields.ts";
import { keyPermissions } from "./permissions.ts";
import { text } from "./text.ts";

export const apiKeyStatuses = ["active", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

const keyPermission = Type.Enum([...keyPermissions]);

const exampleName = "Shop server";

const apiKeyFields = {
  ...objectFields("key", "api_key"),
  name: Type.String({ description: "Your name for the key.", examples: [exampleName] }),
  beginning: Type.String({
    description: "Start of the key's text: `sk_test_`, `sk_live_`, `rk_test_` or `rk_live_`.",
  }),
  last4: Type.String({ description: "End of the key's text." }),
  permissions: nullable(
    Type.Array(keyPermission, {
      description:
        "Permissions of a restricted key. Null for a secret key, which has every permission that a key can have.",
    }),
  ),
  status: Type.Enum([...apiKeyStatuses], {
    description: "Status of the key. Only an active key is accepted.",
  }),
  created_by: nullable(id("per", "Creator of the key. Null for the first key of a demo.")),
  last_used_at: nullable(unixTime("Time of the last use, to the minute")),
  expires_at: nullable(
    unixTime(
      "Time until which a rolled key keeps working along with its successor",
      "Null unless the key was rolled.",
    ),
  ),
  revoked_at: nullable(unixTime("Time of revocation")),
};

/** An API key of a merchant's server, without its secret. */
export const ApiKey = Type.Object(apiKeyFields, {
  description: "API key that authenticates your server. Its text is shown once, at creation.",
});
export type ApiKey = Static<typeof ApiKey>;

/** The response when a key is created or rolled. Only these two responses contain the key itself. */
export const ApiKeyWithSecret = Type.Object(
  {
    ...apiKeyFields,
    secret: Type.String({
      pattern: "^[sr]k_(test|live)_[0-9A-Za-z]{38}$",
      description: "Text of the key. Only this response contains the text.",
    }),
  },
  { description: "API key with its text." },
);
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>;

const name = text(100, "Your name for the key, such as the server that uses it.", exampleName);

export const CreateApiKey = Type.Object(
  {
    name,
    permissions: Type.Optional(
      Type.Array(keyPermission, {
        minItems: 1,
        uniqueItems: true,
        description:
          "Permissions of the key. Without this parameter the key has every permission that a secret key has.",
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
        description: "Seconds for which the old key keeps working along with the new key.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RollApiKey = Static<typeof RollApiKey>;

export const ListApiKeys = listQuery({
  status: oneOrMore(apiKeyStatuses, "Status to filter by."),
});
export type ListApiKeys = Static<typeof ListApiKeys>;
