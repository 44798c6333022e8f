import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/**
 * Starts a real DNS server on the loopback interface. Its records for a name can differ with each query. It does not
 * respond to a query whose records are null.
 */
export async function startNameServer(
  addressesOf: (name: string, question: number) => readonly string[] | null,
) {
  const requested = new Map<string, number>();
  let queries = 0;
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    const key = `${name} ${type}`;
    requested.set(key, (requested.get(key) ?? 0) + 1);
    queries += 1;
    const wanted = addressesOf(name, requested.get(key) ?? 1)?.filter(
      (address) => isIPv4(address) === (type === 1),
    );
    if (!wanted) return;
    socket.send(encodeResponse(query, end, type, wanted), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => requested.size,
    queries: () => queries,
    close: () => socket.close(),
  };
}

/** Reads the question section (RFC 1035 §4.1.2): labels with their lengths, then type and class. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]; length; length = query[at]) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeResponse(
  query: Buffer,
  end: number,
  type: number,
  addresses: readonly string[],
): Buffer {
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8580, 2); // the flags of an authoritative response
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const records = addresses.map((address) => {
    const bytes = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0); // a pointer to the queried name
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([head, ...records]);
}

function ipv6(address: string): Buffer {
  const written = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) as string;
  const [left = "", right] = written.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(missing).fill("0"), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
