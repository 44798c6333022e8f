import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Listens on a free port and passes the requests to the servers in turn, even requests of the same connection. Two
 * consecutive requests of a customer therefore never reach the same process.
 */
export async function startRoundRobin(
  urls: () => readonly string[],
): Promise<{ url: string; close(): Promise<void> }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const all = urls();
    const url = all[next++ % all.length] as string;
    const { method = "GET", rawHeaders: headers, url: path = "/" } = incoming;
    const passed = request(`${url}${path}`, { agent, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode as number, response.rawHeaders);
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
