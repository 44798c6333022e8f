import { chargeBody, chargesPath, createCharge } from "../charge-request.ts";
import { measure } from "../measurement.ts";
import type { Scenario } from "./scenario.ts";

/** The upper bound of the service (ceiling), and the other server with which the service is compared (peer). */
export const peerScenarios: readonly Scenario[] = [
  {
    name: "ceiling: the HTTP server alone, 256 connections",
    async measure(environment, { seconds, label }) {
      const server = await environment.server();
      const { pid, url } = await environment.ceiling(() => createCharge(server));
      return measure(environment, pid, {
        url,
        secretKeys: [server.merchant.secretKey],
        method: "POST",
        paths: [chargesPath],
        body: chargeBody,
        keys: `${label}-`,
        connections: 256,
        seconds,
      });
    },
  },
  {
    name: "peer: stripe-stateful-mock, 256 connections",
    async measure(environment, { seconds, label }) {
      const { pid, url } = await environment.stripeMock();
      return measure(environment, pid, {
        url,
        secretKeys: ["sk_test_bench"],
        method: "POST",
        paths: ["/v1/charges"],
        body: "amount=#&currency=usd&source=tok_visa",
        keys: `${label}-`,
        connections: 256,
        seconds,
      });
    },
  },
];
