/** The time after which the process exits even if a connection, a timer or a child process is still open. */
const graceMs = 1_000;

/**
 * Ends this process when nothing is open any more, but at the latest after a second. The exit code is `code`, or the one
 * of an earlier failure. The caller has closed everything that does work.
 *
 * Use it instead of `process.exit`, which can hang. `process.exit` waits for V8's compiler threads, and a compiler
 * thread that needs a garbage collection waits for the main thread (https://github.com/nodejs/node/issues/54918). A
 * process that ends because nothing is open disposes of its heap first, which releases the compiler threads. After a
 * second without work, no compilation is left.
 */
export function endProcess(code: number): void {
  process.exitCode ||= code;
  // The channel to the parent process would keep this process running.
  if (process.connected) process.disconnect?.();
  setTimeout(() => process.exit(), graceMs).unref();
}

/**
 * Prints an error that nothing has handled, and ends this process at once with SIGKILL. Without this function, Node would
 * end the process like `process.exit`. A worker process that hung would not be restarted, and would still accept
 * connections.
 */
export function killOnUncaughtError(): void {
  process.on("uncaughtException", (error) => {
    console.error(error);
    process.kill(process.pid, "SIGKILL");
    // The kernel ignores a SIGKILL that the first process of a container sends to itself (pid_namespaces(7)).
    process.exit(1);
  });
}
