import { once } from "node:events";
import { connect } from "node:net";

/**
 * A keep-alive connection that sends one HTTP/1.1 request at a time. `request` resolves with the status of the
 * response.
 */
export type Connection = {
  /** Resolves when the connection is open. */
  readonly opened: Promise<unknown>;
  request(request: string): Promise<number>;
  close(): void;
};

type PendingRequest = {
  readonly resolve: (status: number) => void;
  readonly fail: (error: Error) => void;
};

/**
 * Creates a minimal client that uses little CPU time, because the client shares the cores with the server. The client
 * reads the status and the Content-Length of a response, and counts the bytes of the body to find its end.
 */
export function createConnection(url: string): Connection {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const opened = once(socket, "connect");
  let pending: PendingRequest | null = null;
  let head = "";
  let status = 0;
  let bytesLeft = 0;

  socket.on("data", (chunk: Buffer) => {
    if (bytesLeft > 0) bytesLeft -= chunk.length;
    else readHead(chunk);
    if (status > 0 && bytesLeft <= 0) finish();
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("The server closed the connection")));

  function readHead(chunk: Buffer): void {
    head += chunk.toString("latin1");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end)) ?? [];
    if (length === undefined) {
      fail(new Error("A response without a Content-Length cannot be measured"));
      return;
    }
    status = Number(head.slice(9, 12));
    bytesLeft = end + 4 + Number(length) - head.length;
  }

  function finish(): void {
    const finished = pending;
    const response = status;
    pending = null;
    head = "";
    status = 0;
    bytesLeft = 0;
    finished?.resolve(response);
  }

  function fail(error: Error): void {
    pending?.fail(error);
    pending = null;
  }

  return {
    opened,
    request: (request) =>
      new Promise((response, fail) => {
        pending = { resolve: response, fail };
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}
