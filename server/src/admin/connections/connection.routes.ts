import { randomBytes } from "node:crypto";
import type { AuditAction } from "@florin/contract/audit-actions.ts";
import {
  ConnectionHealth,
  Connection as ConnectionObject,
  ConnectionOrProposal,
  ConnectionResponses,
  Connections,
  CreateConnection,
  StoreConnectionSecrets,
  TestConnection,
  TransitionConnection,
  UpdateConnection,
} from "@florin/contract/operator-connections.ts";
import {
  changeConnection,
  readSeenVersion,
  retireConnection,
} from "../../acquiring/connections/change-connection.ts";
import {
  insertConnection,
  listConnections,
  readConnection,
} from "../../acquiring/connections/connection.sql.ts";
import {
  type Connection,
  type ConnectionSettings,
  drain,
  resume,
  suspend,
  withPublicKey,
  withSettings,
  withTestResult,
} from "../../acquiring/connections/connection.ts";
import { decryptConnectionSecrets } from "../../acquiring/connections/connection-secrets.ts";
import { connectors } from "../../acquiring/connectors.ts";
import { ApiError, noSuch } from "../../core/api-error.ts";
import { type ConnectionId, newId, parseId } from "../../core/ids.ts";
import type { SignedIn } from "../../identity/people/session.ts";
import { readAwaited } from "../../payments/inquiries/awaited.sql.ts";
import { countUnapplied } from "../../payments/notifications/notification-review.sql.ts";
import type { AuditValues } from "../../platform/audit/audit-entry.ts";
import { recordAuditEntry } from "../../platform/audit/record-audit-entry.ts";
import type { Tx } from "../../platform/database/sql.ts";
import { type BrowserRoute, browserRoute } from "../../platform/http/browser-routes.ts";
import { created, ok } from "../../platform/http/route.ts";
import {
  type OperatorRequest,
  operatorAuditEntry,
  requireRecentStepUp,
} from "../operator/operator-request.ts";
import { proposedResponse } from "../operator/proposal.routes.ts";
import { performOrPropose } from "../operator/propose-action.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { connectionHealthObject, connectionObject, responsesObject } from "./connection-object.ts";
import { storeNewSecrets } from "./store-secrets.ts";

type Transition = {
  readonly action: AuditAction;
  readonly change: (
    tx: Tx,
    id: ConnectionId,
    body: TransitionConnection,
  ) => Promise<{ before: Connection; after: Connection }>;
};

/** Serves the operator's connections to live acquirers. Every change requires a recent step-up and is audited. */
export function connectionRoutes(deps: ConnectionDeps): BrowserRoute<SignedIn>[] {
  const { database, clock, directory, activity, environment } = deps;
  const route = browserRoute<SignedIn>();
  const shown = (connection: Connection) => connectionObject(connection, deps.publicUrl());

  const transitions: Readonly<Record<string, Transition>> = {
    suspend: {
      action: "connection.suspended",
      change: (tx, id, { version, reason }) =>
        changeConnection(tx, id, version, (connection) => suspend(connection, reason)),
    },
    resume: {
      action: "connection.resumed",
      change: (tx, id, { version }) =>
        changeConnection(tx, id, version, (connection) => resume(connection, environment)),
    },
    drain: {
      action: "connection.drained",
      change: (tx, id, { version }) => changeConnection(tx, id, version, drain),
    },
    retire: {
      action: "connection.retired",
      change: (tx, id, { version }) =>
        retireConnection(tx, id, version, (read, { processor }) => {
          const { settlesWithinMs } = connectors[processor];
          return readAwaited(read, id, { settlesWithinMs, now: clock.now() });
        }),
    },
  };

  return [
    route({
      method: "GET",
      path: "/connections",
      response: Connections,
      async handle() {
        const stored = await listConnections(database.read);
        return ok({ environment, data: stored.map(({ connection }) => shown(connection)) });
      },
    }),
    route({
      method: "POST",
      path: "/connections",
      body: CreateConnection,
      response: ConnectionObject,
      handle: (request) => create(request),
    }),
    route({
      method: "GET",
      path: "/connections/:connection",
      response: ConnectionObject,
      handle: async (request) => ok(shown(await readIn(request))),
    }),
    route({
      method: "PATCH",
      path: "/connections/:connection",
      body: UpdateConnection,
      response: ConnectionObject,
      handle: (request) => update(request),
    }),
    route({
      method: "PUT",
      path: "/connections/:connection/secrets",
      body: StoreConnectionSecrets,
      response: ConnectionOrProposal,
      async handle(request) {
        requireRecentStepUp(request, clock.now());
        const proposal = await storeNewSecrets(deps, request, connectionIn(request));
        if (proposal) return proposedResponse(deps, proposal, request);
        await directory.reload();
        return ok(shown(await readIn(request)));
      },
    }),
    route({
      method: "POST",
      path: "/connections/:connection/test",
      body: TestConnection,
      response: ConnectionObject,
      handle: (request) => test(request),
    }),
    route({
      method: "POST",
      path: "/connections/:connection/activate",
      body: TransitionConnection,
      response: ConnectionOrProposal,
      handle: (request) => activate(request),
    }),
    ...Object.entries(transitions).map(([name, transition]) =>
      route({
        method: "POST",
        path: `/connections/:connection/${name}`,
        body: TransitionConnection,
        response: ConnectionObject,
        handle: (request) => applyTransition(request, transition),
      }),
    ),
    route({
      method: "GET",
      path: "/connections/:connection/health",
      response: ConnectionHealth,
      async handle(request) {
        const connection = await readIn(request);
        const { id } = connection;
        const notifications = await countUnapplied(database.read, id);
        const responses = activity.responsesOf(id);
        const health = activity.healthOf(id);
        return ok(connectionHealthObject(connection, health, responses, notifications));
      },
    }),
    route({
      method: "GET",
      path: "/connections/:connection/responses",
      response: ConnectionResponses,
      handle: async (request) =>
        ok(responsesObject(activity.responsesOf((await readIn(request)).id))),
    }),
  ];

  async function readIn(request: OperatorRequest): Promise<Connection> {
    const id = connectionIn(request);
    const stored = await readConnection(database.read, id);
    if (!stored) throw noSuch("connection", id);
    return stored.connection;
  }

  async function create(request: OperatorRequest<CreateConnection>) {
    const now = clock.now();
    requireRecentStepUp(request, now);
    const { body } = request;
    const connection: Connection = {
      id: newId("con", now),
      processor: body.processor,
      name: body.name,
      environment: body.environment,
      state: "draft",
      // 192 random bits in 32 characters, because anyone who knows the key can send requests to the connection's
      // notification URL.
      endpointKey: randomBytes(24).toString("base64url"),
      settings: settingsIn(body.settings, body),
      publicKey: publicKeyIn(body.public_key ?? null, body),
      requestsPerSecond: body.requests_per_second ?? null,
      secrets: { version: 0, configuredAt: null, previousUntil: null },
      test: { passedAt: null, secretsVersion: null, problem: null },
      notification: null,
      certification: null,
      version: 1,
    };
    await database.transaction(async (tx) => {
      await insertConnection(tx, connection);
      await audit(tx, request, {
        action: "connection.created",
        object: connection.id,
        after: auditValues(connection),
        reason: body.reason,
      });
    });
    await directory.reload();
    return created(shown(connection));
  }

  async function update(request: OperatorRequest<UpdateConnection>) {
    requireRecentStepUp(request, clock.now());
    const { version, name, settings, public_key, requests_per_second, reason } = request.body;
    const id = connectionIn(request);
    const { after } = await database.transaction(async (tx) => {
      const changed = await changeConnection(tx, id, version, (before) => {
        const keyed =
          public_key === undefined
            ? before
            : withPublicKey(before, publicKeyIn(public_key, before), deps.fourEyes);
        return {
          ...(settings ? withSettings(keyed, settingsIn(settings, keyed)) : keyed),
          ...(name !== undefined && { name }),
          ...(requests_per_second !== undefined && { requestsPerSecond: requests_per_second }),
        };
      });
      await audit(tx, request, {
        action: "connection.updated",
        object: id,
        before: auditValues(changed.before),
        after: auditValues(changed.after),
        reason,
      });
      return changed;
    });
    await directory.reload();
    return ok(shown(after));
  }

  /** Tests the connection with its current secrets. No transaction is open during the request to the acquirer. */
  async function test(request: OperatorRequest<TestConnection>) {
    requireRecentStepUp(request, clock.now());
    const { version } = request.body;
    const id = connectionIn(request);
    const { connection, encrypted } = await readSeenVersion(database.read, id, version);
    if (encrypted.current === null) {
      throw new ApiError(
        "connection_not_ready",
        "The connection has no secrets. Store its API key and its notification key first.",
      );
    }
    const secrets = await decryptConnectionSecrets(deps.keys, id, encrypted.current);
    const result = await deps.testConnection(connection, secrets);
    const { after } = await database.transaction(async (tx) => {
      const changed = await changeConnection(tx, id, version, (current) =>
        withTestResult(current, result, clock.now()),
      );
      await audit(tx, request, {
        action: "connection.tested",
        object: id,
        before: { state: changed.before.state },
        after: { state: changed.after.state, ...result },
      });
      return changed;
    });
    await directory.reload();
    return ok(shown(after));
  }

  async function activate(request: OperatorRequest<TransitionConnection>) {
    requireRecentStepUp(request, clock.now());
    const { version, reason } = request.body;
    const action = {
      kind: "activate_connection",
      connection: connectionIn(request),
      version,
    } as const;
    const proposal = await performOrPropose(deps, request, action, reason);
    if (proposal) return proposedResponse(deps, proposal, request);
    await directory.reload();
    return ok(shown(await readIn(request)));
  }

  async function applyTransition(
    request: OperatorRequest<TransitionConnection>,
    { action, change }: Transition,
  ) {
    requireRecentStepUp(request, clock.now());
    const id = connectionIn(request);
    const { reason } = request.body;
    const { after } = await database.transaction(async (tx) => {
      const changed = await change(tx, id, request.body);
      await audit(tx, request, {
        action,
        object: id,
        before: { state: changed.before.state },
        after: { state: changed.after.state },
        reason,
      });
      return changed;
    });
    await directory.reload();
    return ok(shown(after));
  }

  function audit(
    tx: Tx,
    request: OperatorRequest,
    done: Omit<Parameters<typeof operatorAuditEntry>[1], "account">,
  ): Promise<void> {
    return recordAuditEntry(tx, operatorAuditEntry(request, { account: null, ...done }), clock);
  }
}

export function connectionIn({ params }: OperatorRequest): ConnectionId {
  const text = params.connection as string;
  const id = parseId("con", text);
  if (!id) throw noSuch("connection", text);
  return id;
}

/** Returns the settings. Throws if the connector rejects them. */
function settingsIn(
  { merchant_account, live_prefix }: CreateConnection["settings"],
  { processor, environment }: Pick<Connection, "processor" | "environment">,
): ConnectionSettings {
  const settings = { merchantAccount: merchant_account, livePrefix: live_prefix ?? null };
  const problem = connectors[processor].rejectSettings(settings, environment);
  if (problem) throw new ApiError(problem.code, problem.message, { param: problem.param });
  return settings;
}

/** Returns the public key. Throws if the connector rejects it. */
function publicKeyIn(
  key: string | null,
  { processor, environment }: Pick<Connection, "processor" | "environment">,
): string | null {
  const problem = key && connectors[processor].gateway.rejectPublicKey(key, environment);
  if (problem === null || problem === "") return key;
  throw new ApiError("parameter_invalid", `\`public_key\` is invalid. ${problem}`, {
    param: "public_key",
  });
}

/** Returns the fields that an operator can change, for the audit log. */
function auditValues(connection: Connection): AuditValues {
  const { processor, name, environment, state, settings, publicKey, requestsPerSecond } =
    connection;
  return {
    processor,
    name,
    environment,
    state,
    merchant_account: settings.merchantAccount,
    live_prefix: settings.livePrefix,
    public_key: publicKey,
    requests_per_second: requestsPerSecond,
  };
}
