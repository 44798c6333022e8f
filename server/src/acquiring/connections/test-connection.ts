import type { Connection, TestResult } from "./connection.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";

/** Tests the API key and the settings with a request to the acquirer that moves no money. */
export type TestConnection = (
  connection: Connection,
  secrets: ConnectionSecrets,
) => Promise<TestResult>;
