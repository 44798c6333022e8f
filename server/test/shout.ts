import { connect } from "node:net";

/** Sends bytes that no HTTP client would, or none at all, and tells what was heard until the server hung up. */
export async function shout(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = "";
  socket.on("data", (bytes) => {
    heard += bytes.toString();
  });
  // However rudely it hangs up.
  socket.on("error", () => undefined);
  if (text !== "") socket.write(text);
  await new Promise((resolve) => socket.once("close", resolve));
  return heard;
}
