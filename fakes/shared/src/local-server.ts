import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type LocalServerOptions = {
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** The name of the fake in the log. */
  readonly name: string;
  /** A connection that sends a larger body is cut. */
  readonly maxBodyBytes: number;
  /** Handles a request whose body has arrived. An error becomes a response with the status 500. */
  readonly respond: (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ) => void | Promise<void>;
};

export type LocalServer = {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
};

/** A request whose body has arrived. */
type Received = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
};

/** Starts the HTTP server of a fake on the loopback interface. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  let received: Received[] = [];
  const handleReceived = (): void => {
    const all = received;
    received = [];
    for (const each of all) void handle(options, each);
  };
  const server = createServer((request, response) => {
    receiveBody(request, response, options.maxBodyBytes, (body) => {
      // Handles all requests of one turn of the event loop together. This takes less CPU time than handling each one
      // between the reads of two sockets, because code and data stay in the CPU's caches.
      if (received.push({ request, response, body }) === 1) setImmediate(handleReceived);
    });
  });
  // Idle connections stay open, because renewing a timer for each request takes CPU time.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
  onBody: (body: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("error", () => response.destroy());
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) request.destroy();
    else chunks.push(chunk);
  });
  request.on("end", () => {
    onBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  });
}

async function handle(
  { name, respond }: LocalServerOptions,
  { request, response, body }: Received,
): Promise<void> {
  try {
    await respond(request, response, body);
  } catch (error) {
    // Logs the error without the request, which can contain card data.
    console.error(`${name} fake: request failed`, error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}

/** Returns the text of a header, or null if the request does not have it or it is empty. */
export function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" && value !== "" ? value : null;
}
