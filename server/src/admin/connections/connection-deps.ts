import type { ConnectionActivity } from "../../acquiring/connections/connection-activity.ts";
import type { ConnectionDirectory } from "../../acquiring/connections/connection-directory.ts";
import type { TestConnection } from "../../acquiring/connections/test-connection.ts";
import type { OperatorDeps } from "../operator/operator-deps.ts";

/** The dependencies of the admin console's pages about connections to acquirers. */
export type ConnectionDeps = OperatorDeps & {
  readonly directory: ConnectionDirectory;
  readonly activity: ConnectionActivity;
  readonly testConnection: TestConnection;
  /** Returns the origin at which acquirers reach the service. */
  readonly publicUrl: () => string;
};
