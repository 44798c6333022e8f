import { createLibraryThread } from "../../platform/processes/library-thread.ts";
import type { WebauthnLibrary } from "./webauthn-thread.ts";

/**
 * Calls a function of the WebAuthn library in a worker thread. Loading the library takes 28 MB and 200 ms of CPU time.
 * On the main thread, loading would block all payments. A process that only serves charges never loads the library.
 */
export const callWebauthn = createLibraryThread<WebauthnLibrary>({
  file: new URL("./webauthn-thread.ts", import.meta.url),
  name: "webauthn",
  timeoutMs: 20_000,
});
