/**
 * The name of a segment of the write-ahead log: 8 digits each for the timeline, the log and the segment in the log. The
 * built-in Postgres has segments of 16 MB, 256 for each log.
 */
export const segmentName = /[0-9A-F]{24}/;

const wholeSegmentName = new RegExp(`^${segmentName.source}$`);

export const segmentBytes = 16 * 1024 * 1024;

export function isSegment(name: string): boolean {
  return wholeSegmentName.test(name);
}

/** Returns the number of a segment in its timeline. The numbers of successive segments differ by one. */
export function segmentNumber(name: string): number {
  return Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16);
}
