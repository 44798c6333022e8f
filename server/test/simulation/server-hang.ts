/** Thrown for a server that exceeded a time limit and was killed. The message contains the last output of the server. */
export class ServerHang extends Error {
  override name = "ServerHang";
}
