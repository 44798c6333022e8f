import Type, { type Static } from "typebox";
import { auditActionNames } from "./audit-actions.ts";
import { id } from "./ids.ts";
import { listQuery, oneOrMore } from "./list.ts";
import { nullable } from "./nullable.ts";
import { unixTime } from "./object-fields.ts";

export const actorTypes = ["api_key", "person", "operator", "service"] as const;

const auditFields = (description: string) =>
  nullable(Type.Record(Type.String(), Type.Unknown(), { description }));

/** One audited action. Entries are append-only. Each entry holds the hash of the previous entry. */
export const AuditEntry = Type.Object(
  {
    id: id("log", "ID of the entry."),
    object: Type.Literal("audit_entry", { description: "Always `audit_entry`." }),
    livemode: nullable(
      Type.Boolean({ description: "Mode of the action. Null for objects that both modes share." }),
    ),
    created: unixTime("Time of the action"),
    number: Type.Integer({
      minimum: 1,
      description: "Position of the entry in the account's log, without gaps.",
    }),
    action: Type.Enum([...auditActionNames], { description: "Action that was performed." }),
    summary: Type.String({ description: "Description of the action for a person to read." }),
    actor: Type.Object(
      {
        type: Type.Enum([...actorTypes], {
          description: "`api_key`, `person` for a member of the team, `operator`, or `service`.",
        }),
        id: nullable(Type.String({ description: "ID of the key or the person." })),
        name: nullable(
          Type.String({
            description: "Name of the key at that time, or email address of the person.",
          }),
        ),
      },
      { description: "The actor." },
    ),
    object_id: nullable(Type.String({ description: "ID of the object of the action." })),
    before: auditFields("Previous values of the changed fields."),
    after: auditFields("New values of the changed fields. Never contains a secret."),
    reason: nullable(Type.String({ description: "Reason that the actor gave." })),
    ip: nullable(Type.String({ description: "IP address of the request." })),
    request_id: nullable(Type.String({ description: "Request that performed the action." })),
    hash: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "SHA-256 of the previous entry's hash and of this entry's text.",
    }),
  },
  { description: "Audit entry: one action of one actor." },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const ListAuditLog = listQuery({
  action: oneOrMore(auditActionNames, "Action to filter by."),
  actor_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: "Key or person to filter by. Begins with `key_` or `per_`.",
    }),
  ),
  object_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "ID of the object to filter by." }),
  ),
});
export type ListAuditLog = Static<typeof ListAuditLog>;
