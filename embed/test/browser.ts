import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after } from "node:test";
import { startTestBrowser, type TestBrowser } from "../../tools/test-browser.ts";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

export type BrowserTests = TestBrowser & {
  readonly service: ScriptedService;
  /** The port on which another program can control the browser, or 0 if the test did not request one. */
  readonly debuggingPort: number;
};

/** Provides Chromium, the built embed and a scripted service to the tests of one file. */
export async function startBrowser({ debugging = false } = {}): Promise<BrowserTests> {
  const service = await startScriptedService();
  const debuggingPort = debugging ? await freePort() : 0;
  const { newPage } = await startTestBrowser(
    ...(debugging ? [`--remote-debugging-port=${debuggingPort}`] : []),
  );
  after(() => service.close());
  return { service, debuggingPort, newPage };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
