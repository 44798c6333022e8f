import type { AccountId, AssignmentId, ConnectionId } from "../../core/ids.ts";
import { mapInTimeSlices } from "../../core/time-slices.ts";
import type { CacheValidity } from "../../platform/changes/change-feed.ts";
import type { Database } from "../../platform/database/database.ts";
import { type Background, type Loop, startLoop } from "../../platform/jobs/loop.ts";
import type { KeyProvider } from "../../vault/key-provider.ts";
import type { LiveProcessorName } from "../processor.ts";
import {
  type CompiledRules,
  compileRules,
  noRules,
  type RoutingRules,
} from "../routing/routing-rule.ts";
import { listRoutingRules } from "../routing/routing-rules.sql.ts";
import { listAllAssignments } from "./assignment.sql.ts";
import type { Assignment } from "./assignment.ts";
import { listConnections, type StoredConnection } from "./connection.sql.ts";
import {
  type Connection,
  type Environment,
  servesExistingCharges,
  type Unavailable,
  whyUnavailable,
} from "./connection.ts";
import {
  type AcquirerSecret,
  type ConnectionSecrets,
  decryptConnectionSecrets,
} from "./connection-secrets.ts";

/** A connection with its decrypted secrets. */
export type OpenConnection = {
  readonly connection: Connection;
  readonly secrets: ConnectionSecrets;
  /** The secrets before the last rotation. They are valid until `connection.secrets.previousUntil`. */
  readonly previousSecrets: ConnectionSecrets | null;
};

/** An assignment with the connection that it uses. */
export type AssignedConnection = OpenConnection & { readonly assignment: Assignment };

/**
 * An active assignment. `unavailable` is the reason why its connection takes no new charges. Null if the connection
 * takes them.
 */
export type CandidateAssignment =
  | { readonly unavailable: null; readonly assigned: AssignedConnection }
  | {
      readonly unavailable: Unavailable;
      readonly assigned: Pick<AssignedConnection, "assignment" | "connection">;
    };

/** The data that determines the connection of an account's new charges. */
export type AccountRouting = {
  readonly candidates: readonly CandidateAssignment[];
  readonly rules: CompiledRules;
};

/**
 * All connections, assignments and routing rules, in memory, so that a charge does not query Postgres. Changes of other
 * processes take effect within a second (docs/decisions/0042-connections-are-held-in-memory.md).
 */
export type ConnectionDirectory = {
  /** Returns the account's active assignments in order of priority, and its routing rules. */
  routingOf(account: AccountId): AccountRouting;
  /**
   * Returns the connection of an existing charge, for captures, refunds and inquiries. Returns null if the connection
   * is retired or was never active, or if its secrets could not be decrypted.
   */
  connection(id: ConnectionId): OpenConnection | null;
  /** Returns an assignment with its connection, for captures, refunds and inquiries of existing charges. */
  assigned(id: AssignmentId): AssignedConnection | null;
  /** Returns true only if the assignment's connection is retired, and not if its secrets could not be decrypted. */
  isRetired(id: AssignmentId): boolean;
  /** Returns all assignments to this merchant account of the connection, including ended ones. */
  assignmentsAt(connection: ConnectionId, merchantAccount: string): readonly Assignment[];
  /** Returns the acquirers to which the account is or ever was assigned. */
  processorsOf(account: AccountId): readonly LiveProcessorName[];
  /** Returns the connection with this endpoint key, which is part of its notification URL. */
  byEndpointKey(key: string): OpenConnection | null;
  /** Reads everything again. Call it after a change in this process. */
  reload(): Promise<void>;
  /** Reads everything again after changes by other processes. */
  start(background: Background): Loop;
};

export type ConnectionDirectoryDeps = {
  readonly database: Database;
  readonly changes: CacheValidity;
  readonly keys: KeyProvider;
  /** The environment of this instance. Connections of another environment accept no new charges. */
  readonly environment: Environment;
  /** Reports secrets that could not be decrypted. */
  readonly onError: (name: string, error: unknown) => void;
};

/** The interval at which the directory checks in memory whether the change feed has found a change. */
const everyMs = 50;

/** The time after which everything is read again if the secrets of a connection could not be decrypted. */
const retryDecryptionMs = 30_000;

type Entries = {
  /** The position of the change feed before the read. */
  readonly position: number;
  /** The time before the read, in milliseconds of `performance.now()`. */
  readonly readAt: number;
  /** False if the secrets of a connection could not be decrypted. */
  readonly isComplete: boolean;
  readonly byId: ReadonlyMap<ConnectionId, OpenConnection>;
  readonly byEndpointKey: ReadonlyMap<string, OpenConnection>;
  readonly assignments: ReadonlyMap<AssignmentId, Assignment>;
  readonly retired: ReadonlySet<ConnectionId>;
  readonly routing: ReadonlyMap<AccountId, AccountRouting>;
  readonly byMerchantAccount: ReadonlyMap<string, readonly Assignment[]>;
  readonly processorsByAccount: ReadonlyMap<AccountId, readonly LiveProcessorName[]>;
};

/** The secrets that one load has decrypted, by ciphertext. */
type Decrypted = {
  readonly secrets: Map<string, ConnectionSecrets>;
  /** False if the secrets of a connection could not be decrypted. */
  isComplete: boolean;
};

const noEntries: Entries = {
  position: -1,
  readAt: 0,
  isComplete: true,
  byId: new Map(),
  byEndpointKey: new Map(),
  assignments: new Map(),
  retired: new Set(),
  routing: new Map(),
  byMerchantAccount: new Map(),
  processorsByAccount: new Map(),
};

const compiledNoRules = compileRules(noRules);
const noRouting: AccountRouting = { candidates: [], rules: compiledNoRules };

/** Creates an empty directory. Call `reload` before the first lookup. */
export function createConnectionDirectory(deps: ConnectionDirectoryDeps): ConnectionDirectory {
  const { database, changes, keys, environment } = deps;
  let entries = noEntries;
  /** The number of the latest load. It prevents an older load from replacing a newer one. */
  let loads = 0;
  let applied = 0;
  /**
   * A cache of decrypted secrets by ciphertext. Without it, each reload would call the KMS for every secret, which
   * takes milliseconds.
   */
  let decrypted = new Map<string, ConnectionSecrets>();

  async function reload(): Promise<void> {
    loads += 1;
    const load = loads;
    // The position is read before the rows, so that a change during the load causes another load instead of being
    // missed.
    const position = changes.position();
    const readAt = performance.now();
    const [stored, assignments, rules] = await Promise.all([
      listConnections(database.read),
      listAllAssignments(database.read),
      listRoutingRules(database.read),
    ]);
    const compiled = new Map(await mapInTimeSlices(rules, compileOnce));
    const found: Decrypted = { secrets: new Map(), isComplete: true };
    const opened = await Promise.all(stored.map((one) => open(one, found)));
    if (load < applied) return;
    applied = load;
    decrypted = found.secrets;
    const connections = opened.filter((one) => one !== null);
    const byId = new Map(connections.map((one) => [one.connection.id, one]));
    entries = {
      position,
      readAt,
      isComplete: found.isComplete,
      byId,
      byEndpointKey: new Map(connections.map((one) => [one.connection.endpointKey, one])),
      assignments: new Map(assignments.map((one) => [one.id, one])),
      retired: new Set(
        stored.flatMap(({ connection: { id, state } }) => (state === "retired" ? [id] : [])),
      ),
      routing: routingByAccount(assignments, stored, byId, compiled),
      byMerchantAccount: Map.groupBy(
        assignments,
        ({ connection, merchantAccount }) => `${connection} ${merchantAccount}`,
      ),
      processorsByAccount: processorsByAccount(stored, assignments),
    };
  }

  function routingByAccount(
    assignments: readonly Assignment[],
    stored: readonly StoredConnection[],
    byId: ReadonlyMap<ConnectionId, OpenConnection>,
    compiled: ReadonlyMap<AccountId, CompiledRules>,
  ): ReadonlyMap<AccountId, AccountRouting> {
    const connections = new Map(stored.map(({ connection: one }) => [one.id, one]));
    const active = assignments.filter(({ state }) => state === "active");
    return new Map(
      [...Map.groupBy(active, ({ account }) => account)].map(([account, own]) => [
        account,
        {
          candidates: own.map((assignment) => {
            const connection = connections.get(assignment.connection) as Connection;
            return candidateOf(assignment, connection, byId.get(connection.id));
          }),
          rules: compiled.get(account) ?? compiledNoRules,
        },
      ]),
    );
  }

  function candidateOf(
    assignment: Assignment,
    connection: Connection,
    open: OpenConnection | undefined,
  ): CandidateAssignment {
    const unavailable = whyUnavailable(connection, environment);
    if (unavailable === null && open) return { unavailable, assigned: { ...open, assignment } };
    return { unavailable: unavailable ?? "secrets", assigned: { assignment, connection } };
  }

  /** Compiles an account's rules, unless this version was compiled by an earlier load. */
  function compileOnce({
    account,
    ...stored
  }: RoutingRules & { readonly account: AccountId }): [AccountId, CompiledRules] {
    const known = entries.routing.get(account)?.rules;
    return [account, known?.version === stored.version ? known : compileRules(stored)];
  }

  /** Returns null for a connection without secrets, and for one whose secrets cannot be decrypted. */
  async function open(
    { connection, encrypted: { current, previous } }: StoredConnection,
    found: Decrypted,
  ): Promise<OpenConnection | null> {
    if (current === null) return null;
    try {
      const secrets = await decryptOnce(connection.id, current, found);
      const previousSecrets = previous && (await decryptOnce(connection.id, previous, found));
      return { connection, secrets, previousSecrets };
    } catch (error) {
      // Reports the error and continues, so that the other connections stay usable.
      deps.onError(`secrets of ${connection.id}`, error);
      found.isComplete = false;
      return null;
    }
  }

  async function decryptOnce(
    id: ConnectionId,
    ciphertext: Buffer,
    found: Decrypted,
  ): Promise<ConnectionSecrets> {
    const name = `${id} ${ciphertext.toString("base64")}`;
    const secrets = decrypted.get(name) ?? (await decryptConnectionSecrets(keys, id, ciphertext));
    found.secrets.set(name, secrets);
    return secrets;
  }

  async function reloadIfChanged(): Promise<boolean> {
    const { position, readAt, isComplete } = entries;
    const isCurrent = changes.isCurrent("connections", position, readAt);
    const retries = !isComplete && performance.now() - readAt >= retryDecryptionMs;
    if (!isCurrent || retries) await reload();
    return false;
  }

  return {
    routingOf: (account) => entries.routing.get(account) ?? noRouting,
    connection(id) {
      const open = entries.byId.get(id);
      return open && servesExistingCharges(open.connection) ? open : null;
    },
    assigned(id) {
      const assignment = entries.assignments.get(id);
      const open = assignment && entries.byId.get(assignment.connection);
      return open && servesExistingCharges(open.connection) ? { ...open, assignment } : null;
    },
    isRetired(id) {
      const assignment = entries.assignments.get(id);
      return assignment !== undefined && entries.retired.has(assignment.connection);
    },
    assignmentsAt: (connection, merchantAccount) =>
      entries.byMerchantAccount.get(`${connection} ${merchantAccount}`) ?? [],
    processorsOf: (account) => entries.processorsByAccount.get(account) ?? [],
    byEndpointKey: (key) => entries.byEndpointKey.get(key) ?? null,
    reload,
    start: (background) =>
      startLoop({
        name: "acquirer connections",
        everyMs,
        background,
        work: reloadIfChanged,
        maxBackoffMs: 1_000,
      }),
  };
}

/** Returns the acquirers to which each account is or ever was assigned. */
export function processorsByAccount(
  connections: readonly Pick<StoredConnection, "connection">[],
  assignments: readonly Assignment[],
): ReadonlyMap<AccountId, readonly LiveProcessorName[]> {
  const processors = new Map(connections.map(({ connection: one }) => [one.id, one.processor]));
  return new Map(
    [...Map.groupBy(assignments, ({ account }) => account)].map(([account, own]) => [
      account,
      [...new Set(own.flatMap(({ connection }) => processors.get(connection) ?? []))],
    ]),
  );
}

/**
 * Returns the keys with which a notification may be signed: the current one, and the previous one during a rotation.
 */
export function hmacKeysOf(
  { connection, secrets, previousSecrets }: OpenConnection,
  now: Date,
): { readonly current: AcquirerSecret; readonly previous: AcquirerSecret | null } {
  const { previousUntil } = connection.secrets;
  const isValid = previousUntil !== null && previousUntil > now;
  return {
    current: secrets.hmacKey,
    previous: isValid && previousSecrets ? previousSecrets.hmacKey : null,
  };
}
