import { TLSSocket } from "node:tls";
import pg from "pg";
import { receiveUndecodedRows } from "./row-text-query.ts";

/** Thrown when the server requests the password in a form that others could read or reuse. The password was not sent. */
export class WeakAuthentication extends Error {
  override name = "WeakAuthentication";
  readonly method: "cleartext" | "MD5";

  constructor(method: "cleartext" | "MD5") {
    super(`The Postgres server requested the password by ${method} authentication without TLS.`);
    this.method = method;
  }
}

/**
 * Thrown when Postgres stopped waiting for the standbys, for example because an administrator canceled the statement.
 * The transaction is committed on the primary only, and a failover would lose it. The error's text starts like the
 * error of a lost connection, because the outcome is equally unknown.
 */
export class UnreplicatedCommit extends Error {
  override name = "UnreplicatedCommit";

  constructor() {
    super("Connection terminated: a commit was not replicated to the standbys");
  }
}

type Authentication = (this: pg.Client, message: unknown) => void;

/** Handlers of the driver that its types omit. */
const driver = pg.Client.prototype as unknown as {
  readonly _handleAuthCleartextPassword: Authentication;
  readonly _handleAuthMD5Password: Authentication;
};

/**
 * A connection to Postgres that never sends a password unencrypted. The server chooses the method of authentication,
 * and the driver follows it. Without this class, an attacker who impersonates Postgres could therefore request the
 * password in cleartext, or an MD5 hash that works like the password.
 */
export class DatabaseClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    receiveUndecodedRows((this as unknown as { connection: pg.Connection }).connection);
  }

  /** Called by the driver. */
  _handleNotice(notice: { readonly routine?: string | undefined }): void {
    if (isUnreplicated(notice)) {
      // Postgres then reports success. The failure must reach the caller first.
      const { connection } = this as unknown as { connection: pg.Connection };
      connection.emit("error", new UnreplicatedCommit());
      connection.stream.destroy();
    } else {
      this.emit("notice", notice);
    }
  }

  /** Called by the driver. */
  _handleAuthCleartextPassword(message: unknown): void {
    this.#overTls("cleartext", () => driver._handleAuthCleartextPassword.call(this, message));
  }

  /** Called by the driver. */
  _handleAuthMD5Password(message: unknown): void {
    this.#overTls("MD5", () => driver._handleAuthMD5Password.call(this, message));
  }

  #overTls(method: WeakAuthentication["method"], authenticate: () => void): void {
    const { connection } = this as unknown as { connection: pg.Connection };
    if (connection.stream instanceof TLSSocket) {
      authenticate();
    } else {
      connection.emit("error", new WeakAuthentication(method));
      connection.stream.destroy();
    }
  }
}

/**
 * Returns whether a warning says that a commit did not wait for the standbys. Compares the name of the routine, because
 * the text of the warning depends on the server's language.
 */
function isUnreplicated(notice: { readonly routine?: string | undefined }): boolean {
  return notice.routine === "SyncRepWaitForLSN";
}
