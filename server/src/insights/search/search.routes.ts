import { Search, SearchResults } from "@florin/contract/search.ts";
import type { Database } from "../../platform/database/database.ts";
import { ok, type Route, route } from "../../platform/http/route.ts";
import { searchObjects } from "./search-objects.ts";

export function searchRoutes({ database }: { database: Database }): Route[] {
  return [
    route({
      method: "GET",
      path: "/search",
      summary: "Search for payments, customers and other objects",
      permission: "payments:read",
      query: Search,
      response: SearchResults,
      status: 200,
      async handle({ scope, query, permissions }) {
        const data = await searchObjects(database.read, scope, query.query, permissions);
        return ok({ object: "search_results", data });
      },
    }),
  ];
}
