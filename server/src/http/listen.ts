import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";

/** Where it was asked to listen it cannot; its message is the sentence the operator reads. */
export class CannotListen extends Error {
  override name = "CannotListen";
}

/** Where to listen, and the setting that says at which port. */
export type Place = {
  readonly host: string;
  readonly port: number;
  readonly setting: keyof typeof hostSetting;
};

/** Which setting says at which address. */
const hostSetting = {
  PORT: "HOST",
  METRICS_PORT: "METRICS_HOST",
  SHOP_PORT: "SHOP_HOST",
  INTERNAL_PORT: null,
} as const;

/** Listens, and says where. */
export async function listenOn(http: FastifyInstance, place: Place): Promise<string> {
  const { host, port } = place;
  try {
    await http.listen({ host, port });
  } catch (error) {
    throw inWords(error, place);
  }
  const address = http.server.address();
  const actual = typeof address === "object" && address ? address.port : port;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
}

/** How far to look for a free port when none was asked for. */
const portsToTry = 50;

/** The port of the place, or the next that nobody has; of 0, any. */
export async function nextFreePort(place: Place): Promise<number> {
  const { port: first, setting } = place;
  for (let port = first; port < first + portsToTry; port++) {
    const free = await tryPort({ ...place, port });
    if (free !== null) return free;
  }
  throw new CannotListen(
    `The ports from ${first} to ${first + portsToTry - 1} are all taken. Set ${setting} to a free one.`,
  );
}

/** The port of the place, unless somebody has it; of 0, any. */
export async function freePort(place: Place): Promise<number> {
  const free = await tryPort(place);
  if (free === null) throw portTaken(place);
  return free;
}

/** The port, of 0 the one that was given out, which nobody else is given for a while; null when it is taken. */
function tryPort(place: Place): Promise<number | null> {
  const { host, port } = place;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      codeOf(error) === "EADDRINUSE" ? resolve(null) : reject(inWords(error, place)),
    );
    probe.listen(port, host, () => {
      const { port: given } = probe.address() as AddressInfo;
      probe.close(() => resolve(given));
    });
  });
}

/** What a person can put right is a sentence; anything else stays what it was. */
function inWords(error: unknown, { host, port, setting }: Place): unknown {
  switch (codeOf(error)) {
    case "EADDRINUSE":
      return portTaken({ port, setting });
    case "EACCES":
      return new CannotListen(
        `Port ${port} is not everybody's to listen on. Set ${setting} to one above 1023.`,
      );
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return new CannotListen(
        hostSetting[setting] === null
          ? `This machine has no address '${host}', on which the service must listen.`
          : `This machine has no address '${host}'. Set ${hostSetting[setting]} to one that it has.`,
      );
    default:
      return error;
  }
}

function portTaken({ port, setting }: Pick<Place, "port" | "setting">): CannotListen {
  return new CannotListen(
    `Port ${port} is taken. Stop what listens there, or set ${setting} to another (0 takes any).`,
  );
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
