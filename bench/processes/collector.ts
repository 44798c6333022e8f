import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveBench } from "./child.ts";

/** A collector of traces, which accepts every export and does not decode it. */
const http = createServer((request, response) => {
  request.resume();
  request.once("end", () => response.writeHead(200).end());
});
http.listen(0, "127.0.0.1");
await once(http, "listening");
serveBench(
  { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` },
  async () => void http.close(),
);
