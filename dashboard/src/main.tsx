import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followSignedInPerson } from "./api/other-tabs.ts";
import { queries } from "./api/query-client.ts";
import { formatMoney } from "./components/amount.ts";
import { timeZoneInUse } from "./components/time-zone.ts";
import { router } from "./routes.tsx";

// Starts to load the page's code while the session is read, instead of afterwards.
const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
for (const route of routes) void router.loadRouteChunk(route);

followSignedInPerson();

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

// Creates the first formatters while the session is read. The browser loads its locale data when the first formatter is
// created, which would otherwise delay the first page by about 100 ms on a phone.
for (const create of [timeZoneInUse, () => formatMoney(0, "usd")]) setTimeout(create);
