import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { florin } from "./running-florin.ts";

/** Queries the database directly, for facts that no API returns. */
export async function query<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const kept = (name: string) =>
    readFileSync(join(florin.dataDirectory, "postgres", name), "utf8").trim();
  const client = new pg.Client({
    host: "127.0.0.1",
    port: Number(kept("port")),
    user: "florin",
    password: kept("password"),
    database: "florin",
  });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
