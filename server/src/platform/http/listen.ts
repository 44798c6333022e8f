import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Thrown when the server cannot listen on the configured host and port. The message is shown to the operator. */
export class ListenError extends Error {
  override name = "ListenError";
}

/** The host and port to listen on, and the name of the setting for the port. */
export type Place = {
  readonly host: string;
  readonly port: number;
  readonly setting: keyof typeof hostSetting;
  /**
   * `own` (the default): only this process listens on the port. `shared`: all worker processes of the service listen on
   * it.
   */
  readonly listener?: "own" | "shared";
};

/**
 * The systems whose kernel distributes connections among the processes that listen on a port. On other systems, the
 * primary process passes each connection to a worker. If the worker is killed before it has received the connection,
 * the client then waits for its own timeout, because the primary does not close the connection.
 */
const distributesInKernel = ["linux", "freebsd"].includes(process.platform);

/** The setting for the host that belongs to each setting for a port. */
const hostSetting = {
  PORT: "HOST",
  METRICS_PORT: "METRICS_HOST",
  SHOP_PORT: "SHOP_HOST",
  INTERNAL_PORT: null,
} as const;

/** Listens and returns the URL. */
export async function listenOn(http: FastifyInstance, place: Place): Promise<string> {
  const { host, port, listener = "own" } = place;
  try {
    await http.listen({ host, port, ...listenerOptions(listener) });
  } catch (error) {
    throw explainError(error, place);
  }
  const address = http.server.address();
  const actual = typeof address === "object" && address ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}

function listenerOptions(listener: "own" | "shared"): object {
  if (listener === "own") return { exclusive: true };
  return distributesInKernel ? { exclusive: true, reusePort: true } : { exclusive: false };
}

/** The number of ports to try when none was configured. */
const portsToTry = 50;

/** Returns the first free port, starting with `place.port`. 0 means any free port. */
export async function nextFreePort(place: Place): Promise<number> {
  const { port: first, setting } = place;
  for (let port = first; port < first + portsToTry; port++) {
    const free = await tryPort({ ...place, port });
    if (free !== null) return free;
  }
  throw new ListenError(
    `The ports from ${first} to ${first + portsToTry - 1} are in use. Set ${setting} to a free port.`,
  );
}

/** Returns the configured port, or throws when it is in use. 0 means any free port. */
export async function freePort(place: Place): Promise<number> {
  const free = await tryPort(place);
  if (free === null) throw portTaken(place);
  return free;
}

/** Returns the port, or null when it is in use. For 0, the system assigns a port, which it does not soon reuse. */
function tryPort(place: Place): Promise<number | null> {
  const { host, port } = place;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      codeOf(error) === "EADDRINUSE" ? resolve(null) : reject(explainError(error, place)),
    );
    probe.listen(port, host, () => {
      const { port: assigned } = probe.address() as AddressInfo;
      probe.close(() => resolve(assigned));
    });
  });
}

/** Converts an error that the operator can fix into one that names the setting. Returns other errors unchanged. */
function explainError(error: unknown, { host, port, setting }: Place): unknown {
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return portTaken({ port, setting });
    case "EACCES":
      return new ListenError(
        `Florin's user has no permission to listen on port ${port}. Set ${setting} to a port above 1023.`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return new ListenError(
        `The service cannot listen on '${host}'. This machine has no such address. ${
          hostSetting[setting] === null
            ? "Assign the address to the loopback interface."
            : `Set ${hostSetting[setting]} to an address of this machine.`
        }`,
      );
    default:
      return error;
  }
}

function portTaken({ port, setting }: Pick<Place, "port" | "setting">): ListenError {
  return new ListenError(
    `Port ${port} is in use. Stop the program that listens there, or set ${setting} to another port (0 for any free port).`,
  );
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
