import assert from "node:assert/strict";
import { recordFirstNotification } from "../src/acquiring/connections/change-connection.ts";
import { readConnection } from "../src/acquiring/connections/connection.sql.ts";
import { createConnectionDirectory } from "../src/acquiring/connections/connection-directory.ts";
import type { TestConnection } from "../src/acquiring/connections/test-connection.ts";
import { type ConnectionId, uuidOf } from "../src/core/ids.ts";
import { createChangeFeed } from "../src/platform/changes/change-feed.ts";
import { createLocalKeyProvider } from "../src/vault/local-key-provider.ts";
import type { Reply } from "./client.ts";
import type { TestPerson } from "./person.ts";
import type { Shop } from "./shop.ts";

export const apiKey = "AQEyhmfxK4zJbBZDw0m-first-key";
export const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
const reason = "Agreed with the merchant.";

/** An acquirer that accepts every API key except those that contain `revoked`. */
export const acceptingAcquirer: TestConnection = async (_connection, { apiKey }) =>
  apiKey.reveal().includes("revoked")
    ? { kind: "failed", problem: "The acquirer rejected the API key (HTTP 401)." }
    : { kind: "passed" };

/** A client for an operator's requests about connections. */
export type ConnectionClient = {
  create(changes?: Readonly<Record<string, unknown>>): Promise<Reply>;
  read(id: string): Promise<Reply>;
  /** Sends a change with the connection's current version. */
  change(method: string, id: string, action: string, body?: object): Promise<Reply>;
  /** Creates a connection that has secrets, has passed the test and has received a notification. */
  createReady(): Promise<Reply["body"]>;
  createActive(): Promise<Reply["body"]>;
  /** Records the first verified notification from the acquirer. */
  notify(id: string): Promise<void>;
  /** Returns all columns of the connection. */
  rowOf(id: ConnectionId): Promise<Record<string, unknown>>;
  /** Returns the audit entries about the connection, oldest first. */
  entriesOf(id: string): Promise<Record<string, unknown>[]>;
};

export const liveAdyen = {
  processor: "adyen",
  name: "Adyen Europe",
  environment: "live",
  settings: { merchant_account: "FieldwareECOM", live_prefix: "1797a841fbb37ca7-Fieldware" },
  reason,
};

export const sandboxAdyen = {
  ...liveAdyen,
  environment: "sandbox",
  settings: { merchant_account: "FieldwareECOM" },
};

export function createConnectionClient(shop: Shop, operator: TestPerson): ConnectionClient {
  const path = "/operator/v1/connections";
  const create: ConnectionClient["create"] = (changes = {}) =>
    operator.send("POST", path, { ...liveAdyen, ...changes });
  const read: ConnectionClient["read"] = (id) => operator.send("GET", `${path}/${id}`);

  const change: ConnectionClient["change"] = async (method, id, action, body = {}) => {
    const { version } = (await read(id)).body;
    const withReason = action === "test" ? {} : { reason };
    const url = action === "" ? `${path}/${id}` : `${path}/${id}/${action}`;
    return operator.send(method, url, { version, ...withReason, ...body });
  };

  const notify: ConnectionClient["notify"] = async (id) => {
    const stored = await readConnection(shop.app.database.read, id as ConnectionId);
    assert(stored);
    const { clock, app } = shop;
    await recordFirstNotification({ database: app.database, clock }, stored.connection);
  };

  const createReady: ConnectionClient["createReady"] = async () => {
    const { id } = succeeded(await create()).body;
    succeeded(await change("PUT", id, "secrets", { api_key: apiKey, hmac_key: hmacKey }));
    succeeded(await change("POST", id, "test"));
    await notify(id);
    return (await read(id)).body;
  };

  const createActive: ConnectionClient["createActive"] = async () => {
    const { id } = await createReady();
    succeeded(await change("POST", id, "activate"));
    return (await read(id)).body;
  };

  const rowOf: ConnectionClient["rowOf"] = async (id) => {
    const [row] = await shop.app.database.read<Record<string, unknown>>`
      select * from processor_connections where id = ${uuidOf(id)}
    `;
    assert(row);
    return row;
  };

  const entriesOf: ConnectionClient["entriesOf"] = async (id) => {
    const rows = await shop.app.database.read<{ entry: string }>`
      select entry from audit_log where object_id = ${id} order by number
    `;
    return rows.map(({ entry }) => JSON.parse(entry));
  };

  return { create, read, change, notify, createReady, createActive, rowOf, entriesOf };
}

/** Creates the change feed and the connection directory of a simulated second process. */
export function createSecondDirectory(shop: Shop, environment: "live" | "sandbox" = "live") {
  const changes = createChangeFeed(shop.app.database);
  const directory = createConnectionDirectory({
    database: shop.app.database,
    changes,
    keys: createLocalKeyProvider(shop.settings.FLORIN_KEYS),
    environment,
    onError: (_name, error) => assert.fail(error as Error),
  });
  return { changes, directory };
}

function succeeded(reply: Reply): Reply {
  assert.ok([200, 201, 202].includes(reply.status), reply.text);
  return reply;
}

/** The parameters that every test sends to create an assignment. */
export const assignmentTerms = { merchant_account: "FieldwareECOM", mcc: "5941", reason };
