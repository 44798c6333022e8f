/** Returns the reason for another port than the first one. Returns null if a port was configured or the first is used. */
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
