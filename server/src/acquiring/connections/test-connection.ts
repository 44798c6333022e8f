import type { Connection, TestResult } from "./connection.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";

/** Sends a request to the acquirer that verifies the API key and the settings and moves no money. */
export type TestConnection = (
  connection: Connection,
  secrets: ConnectionSecrets,
) => Promise<TestResult>;
