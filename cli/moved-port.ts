/**
 * Returns a sentence that explains why the first port was not used. Returns null if a port was configured or the first
 * port is used.
 */
export function movedFrom(
  first: number,
  configured: number | null,
  url: string,
  name: string,
  setting: "PORT" | "SHOP_PORT",
): string | null {
  const port = Number(new URL(url).port);
  if (configured !== null || port === first) return null;
  return `Port ${first} is in use, so ${name} listens on ${port}. Set ${setting} to choose another.`;
}
