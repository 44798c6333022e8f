import type { AddressInfo } from "node:net";
import mock from "stripe-stateful-mock";
import { serveBench } from "./child.ts";

/** The peer: a mock that many shops test against. It keeps its charges in memory, and nothing is durable. */
const server = mock.createExpressApp().listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveBench({ url: `http://127.0.0.1:${port}` }, async () => void server.close());
});
