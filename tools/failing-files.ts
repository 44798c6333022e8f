import type { TestEvent } from "node:test/reporters";

/** A reporter for `node --test` that prints each file with a failure once, one per line. */
export default async function* failingFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const told = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== "test:fail" || !data.file || told.has(data.file)) continue;
    told.add(data.file);
    yield `${data.file}\n`;
  }
}
