import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { florin } from "./running-florin.ts";

/** Runs a statement in the database. Use it only for data that the API cannot return or change. */
export async function query<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const stored = (name: string) =>
    readFileSync(join(florin.dataDirectory, "postgres", name), "utf8").trim();
  const client = new pg.Client({
    host: "127.0.0.1",
    port: Number(stored("port")),
    user: "florin",
    password: stored("password"),
    database: "florin",
  });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
