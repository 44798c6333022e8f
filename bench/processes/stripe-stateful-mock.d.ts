/** The package ships no types. */
declare module "stripe-stateful-mock" {
  import type { RequestListener, Server } from "node:http";

  type ExpressApp = RequestListener & {
    listen(port: number, host: string, up: () => void): Server;
  };
  const mock: { createExpressApp(): ExpressApp };
  export default mock;
}
