import { connect } from "node:net";

/**
 * Sends raw bytes, which need not be valid HTTP, or sends nothing if `text` is empty. Returns all bytes received until
 * the server closes the connection.
 */
export async function sendRawBytes(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString();
  });
  // The server may reset the connection.
  socket.on("error", () => undefined);
  if (text !== "") socket.write(text);
  await new Promise((resolve) => socket.once("close", resolve));
  return received;
}
