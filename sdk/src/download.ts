/** A file: a CSV file that the service sends while it reads the rows, an uploaded file, or a PDF of evidence. */
export type Download = AsyncIterable<string> & {
  /** The ID of the request. */
  readonly requestId: string | undefined;
  /** The bytes of the file, for example to write them to disk. Reading fails if the connection is lost. */
  readonly body: ReadableStream<Uint8Array>;
  /** Returns the whole file. Iterate over the download instead if the file may not fit into memory. */
  text(): Promise<string>;
  /** Returns the bytes of the whole file. */
  bytes(): Promise<Bytes>;
};

/**
 * `Uint8Array<ArrayBuffer>` since TypeScript 5.7. In earlier versions, `Uint8Array` is not generic, and this is
 * `Uint8Array`.
 */
type Bytes = ReturnType<typeof Uint8Array.of>;

/** Returns the download of a response. Iterating over it returns the text in pieces of any length. */
export function downloadOf(response: Response): Download {
  const body = response.body ?? new Response("").body;
  if (!body)
    throw new TypeError(
      "A download needs a `fetch` whose responses have a readable `body`. Pass the `fetch` of your runtime.",
    );

  async function* pieces(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        yield decoder.decode(value, { stream: true });
      }
      const rest = decoder.decode();
      if (rest !== "") yield rest;
    } finally {
      // Ends the transfer if the caller stops early.
      await reader.cancel().catch(() => undefined);
    }
  }

  return {
    requestId: response.headers.get("request-id") ?? undefined,
    body,
    text: () => response.text(),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    [Symbol.asyncIterator]: pieces,
  };
}
