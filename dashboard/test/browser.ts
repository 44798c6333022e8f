import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { startTestBrowser } from "../../tools/test-browser.ts";

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: string;
};

export type Respond = (received: Received, response: ServerResponse) => void | Promise<void>;

export type Mounted = {
  readonly page: Page;
  /** The API requests that the page sent, in order. */
  readonly received: Received[];
  /** The console output and uncaught errors of the page. */
  readonly complaints: string[];
  /** Sets how the server responds to later API requests. */
  respond(how: Respond): void;
};

/**
 * Bundles a module of the dashboard and starts Chromium. Each mounted page has its own HTTP server in place of the
 * service.
 */
export async function openModule(contents: string, resolveDir: string) {
  const bundle = await build({
    stdin: { contents, resolveDir, loader: "tsx" },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "tested",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = (bundle.outputFiles[0] as { text: string }).text;
  const browser = await startTestBrowser();

  return {
    /** Opens the module in a new page. The global variable `tested` contains the module's exports. */
    async mount(path = "/dashboard/acct_1/test", first = success): Promise<Mounted> {
      const received: Received[] = [];
      let respond = first;
      const server = createServer(async (request, response) => {
        const { method = "GET", url = "/", headers } = request;
        if (url === "/tested.js") return response.end(script);
        if (!/^\/(api|auth|operator)\//.test(url)) return sendPage(response);
        const body = await bodyOf(request);
        const key = headers["idempotency-key"] as string | undefined;
        const one = { method, path: url, key, body };
        received.push(one);
        await respond(one, response);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const { page, complaints: messages } = await browser.newPage();
      after(() => {
        server.closeAllConnections();
        server.close();
      });
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      return { page, received, complaints: messages, respond: (how) => (respond = how) };
    },
  };
}

const success: Respond = (_, response) => json(response, 200, {});

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends an error response in the format of the service. */
export function reject(response: ServerResponse, status: number, code: string, param?: string) {
  const error = { type: "invalid_request_error", code, message: `It is ${code}.`, param };
  json(response, status, { error: { ...error, request_id: "req_1" } });
}

function sendPage(response: ServerResponse): void {
  response
    .writeHead(200, { "content-type": "text/html" })
    .end(
      `<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,"><div id="root"></div><script src="/tested.js"></script></html>`,
    );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request)).toString();
}
