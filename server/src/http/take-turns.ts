import { setTimeout as sleep } from "node:timers/promises";
import { fairShare } from "../primitives/fair-share.ts";

const turn = fairShare(1);

/**
 * The pages of all downloads are made one after the other, with a rest after each as long as it took: however many there
 * are, whoever pays waits for one page of one of them at most. Who reads slowly keeps nobody waiting.
 */
export async function* takeTurns(pages: AsyncIterable<string>): AsyncGenerator<string> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await turn("page", async () => {
        const began = performance.now();
        const made = await iterator.next();
        await sleep(performance.now() - began);
        return made;
      });
      if (page.done) return;
      yield page.value;
    }
  } finally {
    await iterator.return?.();
  }
}
