/** Thrown for a server that exceeded a time limit and was killed. The message contains the server's last output. */
export class ServerHang extends Error {
  override name = "ServerHang";
}
