import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "../../core/clock.ts";
import { createBodyBuffers } from "./body-buffers.ts";
import { listBytes, pageOf } from "./list.ts";
import { okBytes } from "./route.ts";
import { sendResponse } from "./send-response.ts";
import { createServer } from "./server.ts";

const http = createServer({
  clock: systemClock,
  baseUrl: () => "http://127.0.0.1",
  log: { fault: (_request, error) => assert.fail(String(error)) },
});
http.get("/lists/:letter", async (request, reply) => {
  const { letter } = request.params as { letter: string };
  const texts = Array.from({ length: 100 }, (_, n) => {
    const object = JSON.stringify(letter.repeat(n));
    return n % 2 ? object : Buffer.from(object);
  });
  return sendResponse(reply, okBytes(listBytes(texts, pageOf({ limit: 100 }, "ch"), "/lists")));
});
const url = await http.listen({ host: "127.0.0.1", port: 0 });
after(() => http.close());

test("a client that reads slowly gets its own list, although other lists are sent in the meantime", async () => {
  const { send, response } = await requestWithheld("a");
  for (const letter of "bcd") await assertList(letter, await fetch(`${url}/lists/${letter}`));
  send();
  await assertList("a", await response);
});

test("the lists of other clients are complete after a client has disconnected", async () => {
  const { socket, response } = await requestWithheld("a");
  socket.destroy();
  await assert.rejects(response);
  const responses = [..."bcd"].map((letter) => fetch(`${url}/lists/${letter}`));
  for (const [index, one] of responses.entries())
    await assertList("bcd"[index] as string, await one);
});

test("memory is reused after its release, and only once", () => {
  const buffers = createBodyBuffers();
  const write = (text: string) => buffers.write((body) => body.text(text));
  const first = write("first");
  first.release();
  first.release();
  const [second, third] = [write("second"), write("third")];
  assert.equal(second.bytes.buffer, first.bytes.buffer);
  assert.deepEqual([String(second.bytes), String(third.bytes)], ["second", "third"]);
});

/** Requests a list whose response the server's socket holds back until `send`, as if the network were slow. */
async function requestWithheld(letter: string) {
  const held: (() => void)[] = [];
  const connected = once(http.server, "connection");
  const requested = once(http.server, "request");
  const response = getOnNewConnection(`${url}/lists/${letter}`);
  const [socket] = (await connected) as [Socket];
  const { _write, _writev } = socket;
  socket._write = (...write) => void held.push(() => _write.apply(socket, write));
  socket._writev = (...writes) => void held.push(() => _writev?.apply(socket, writes));
  const [, reply] = await requested;
  while (!reply.writableEnded || held.length === 0) await new Promise(setImmediate);
  Object.assign(socket, { _write, _writev });
  const send = () => {
    for (const write of held) write();
  };
  return { socket, response, send };
}

async function getOnNewConnection(path: string): Promise<Response> {
  const [message] = (await once(get(path, { agent: false }), "response")) as [IncomingMessage];
  return new Response(Buffer.concat(await message.toArray()));
}

async function assertList(letter: string, response: Response): Promise<void> {
  const { data } = (await response.json()) as { data: string[] };
  assert.deepEqual(
    data,
    Array.from({ length: 100 }, (_, n) => letter.repeat(n)),
  );
}
