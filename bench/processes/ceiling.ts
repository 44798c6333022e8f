import { systemClock } from "@florin/server/core/clock.ts";
import { sendResponse } from "@florin/server/platform/http/send-response.ts";
import { createServer } from "@florin/server/platform/http/server.ts";
import { serveBench, settingsOfThisProcess } from "./child.ts";

/**
 * The HTTP ceiling: the service's own HTTP server, which reads the request and returns a constant charge immediately.
 * No service that writes to a database can be faster.
 */
const { body } = settingsOfThisProcess<{ body: string }>();
const http = createServer({
  clock: systemClock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: (request, error) => console.error(request, error) },
});
http.post("/api/v1/charges", (_request, reply) => sendResponse(reply, { status: 201, body }));
const url = await http.listen({ host: "127.0.0.1", port: 0 });
serveBench({ url }, () => http.close());
