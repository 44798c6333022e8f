import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

export type BrowserTests = {
  readonly service: ScriptedService;
  /** Where another program may steer the same browser; 0 unless asked for. */
  readonly debuggingPort: number;
  /** A page in a context of its own; whatever it logs or throws is in `complaints`. */
  newPage(options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }>;
};

/** The built embed behind the scripted service, and a real Chromium, for all the tests of one file. */
export async function openBrowser({ debugging = false } = {}): Promise<BrowserTests> {
  const outdir = await mkdtemp(join(tmpdir(), "florin-embed-"));
  const service = await startScriptedService(outdir);
  const debuggingPort = debugging ? await freePort() : 0;
  const browser = await chromium.launch({
    executablePath: process.env.FLORIN_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      // A shop under a name of its own, which browsers do not take for this machine.
      "--host-resolver-rules=MAP shop.test 127.0.0.1",
      ...(debugging ? [`--remote-debugging-port=${debuggingPort}`] : []),
    ],
  });
  after(async () => {
    await browser.close();
    await service.close();
    await rm(outdir, { recursive: true });
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
