import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** A port that was asked for and is not to be had; its message is the sentence the operator reads. */
export class PortTaken extends Error {
  override name = "PortTaken";
}

/** How far to look for a free port when none was asked for. */
const portsToTry = 50;

/** Listens, and says where; of a port that is taken it says which setting to change. */
export async function listenOn(
  http: FastifyInstance,
  { host, port, setting }: { host: string; port: number; setting: "PORT" | "METRICS_PORT" },
): Promise<string> {
  try {
    await http.listen({ host, port });
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    throw new PortTaken(
      `Port ${port} is taken by another program. Stop that one, or set ${setting} to another (0 takes any).`,
    );
  }
  const address = http.server.address();
  const actual = typeof address === "object" && address ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}

export async function nextFreePort(host: string, first: number): Promise<number> {
  for (let port = first; port < first + portsToTry; port++) {
    if ((await tryPort(host, port)) !== null) return port;
  }
  throw new PortTaken(
    `The ports from ${first} to ${first + portsToTry - 1} are all taken. Set PORT to a free one.`,
  );
}

/** A port that nobody has, and nobody else is given for a while. */
export async function anyFreePort(host: string): Promise<number> {
  return (await tryPort(host, 0)) as number;
}

/** The port, of 0 the one that was given out; null when it is taken. */
function tryPort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      codeOf(error) === "EADDRINUSE" ? resolve(null) : reject(error),
    );
    probe.listen(port, host, () => {
      const { port: given } = probe.address() as AddressInfo;
      probe.close(() => resolve(given));
    });
  });
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
