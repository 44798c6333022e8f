import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after } from "node:test";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumOptions } from "../../tools/chromium.ts";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

export type BrowserTests = {
  readonly service: ScriptedService;
  /** The port on which another program can control the same browser. 0 if not requested. */
  readonly debuggingPort: number;
  /** Opens a page in its own context. `complaints` collects its console output and errors. */
  newPage(options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }>;
};

/** Starts Chromium with the built embed and the scripted service, for all tests of one file. */
export async function openBrowser({ debugging = false } = {}): Promise<BrowserTests> {
  const service = await startScriptedService();
  const debuggingPort = debugging ? await freePort() : 0;
  const browser = await chromium.launch(
    chromiumOptions(
      // A shop under its own host name, which browsers do not treat as localhost.
      "--host-resolver-rules=MAP shop.test 127.0.0.1",
      ...(debugging ? [`--remote-debugging-port=${debuggingPort}`] : []),
    ),
  );
  after(async () => {
    await browser.close();
    await service.close();
  });
  return {
    service,
    debuggingPort,
    async newPage(options = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(8000);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      return { page, complaints };
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
