import type { AddressInfo } from "node:net";
import mock from "stripe-stateful-mock";
import { serveBench } from "./child.ts";

/** The peer stripe-stateful-mock, which developers use for tests. It stores charges in memory only. */
const server = mock.createExpressApp().listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  serveBench({ url: `http://127.0.0.1:${port}` }, async () => void server.close());
});
