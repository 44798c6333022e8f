/** Returns a size in KiB or MiB, such as `1.5 MiB`. */
export function sizeText(bytes: number): string {
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
}
