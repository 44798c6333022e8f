import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A shop's webhook endpoint, which counts the deliveries of each event. */
export type WebhookReceiver = {
  readonly url: string;
  /** The number of deliveries by `webhook-id`, which is the event's ID. */
  readonly received: ReadonlyMap<string, number>;
  close(): void;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    request.resume().once("end", () => {
      received.set(id, (received.get(id) ?? 0) + 1);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
