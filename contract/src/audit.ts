import Type, { type Static } from "typebox";
import { auditActionNames } from "./audit-actions.ts";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-facts.ts";

export const actorTypes = ["api_key", "person", "operator", "service"] as const;

const facts = (description: string) =>
  nullable(Type.Record(Type.String(), Type.Unknown(), { description }));

/** One audited action. Entries are append-only, and each holds the hash of the previous one. */
export const AuditEntry = Type.Object(
  {
    id: id("log", "The entry's id."),
    object: Type.Literal("audit_entry", { description: "Always `audit_entry`." }),
    livemode: nullable(
      Type.Boolean({ description: "The mode it was done in; null for what both modes share." }),
    ),
    created: unixTime("When it was done"),
    number: Type.Integer({
      minimum: 1,
      description: "Counts the account's entries, without a gap.",
    }),
    action: Type.Enum([...auditActionNames], { description: "What was done." }),
    summary: Type.String({ description: "The same, for a person to read." }),
    actor: Type.Object(
      {
        type: Type.Enum([...actorTypes], {
          description: "A key, a person of the team, the operator, or the service by itself.",
        }),
        id: nullable(Type.String({ description: "The key's or the person's id." })),
        name: nullable(
          Type.String({ description: "What the key was called then, or the person's address." }),
        ),
      },
      { description: "Who did it." },
    ),
    object_id: nullable(Type.String({ description: "What it was done to." })),
    before: facts("What changed, as it was before."),
    after: facts("What changed, as it was afterwards. Never a secret."),
    reason: nullable(Type.String({ description: "Why, in the words of who did it." })),
    ip: nullable(Type.String({ description: "The network address it came from." })),
    request_id: nullable(Type.String({ description: "The request that did it." })),
    hash: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "SHA-256 of the hash of the entry before and of this one's text.",
    }),
  },
  { description: "Somebody did something." },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const ListAuditLog = listQuery({
  action: oneOrMore(auditActionNames, "Only entries of this action."),
  actor_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Only what this key or person did. Begins with `key_` or `per_`.",
    }),
  ),
  object_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Only what was done to this." }),
  ),
});
export type ListAuditLog = Static<typeof ListAuditLog>;
