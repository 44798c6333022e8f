/**
 * Tests the whole system from outside: the real command, its real Postgres, the demo shop and a real Chromium. Each
 * journey has its own file. This file runs those of the dashboard with a single start of Florin.
 */
import "./going-live.journey.ts";
import "./signing-in.journey.ts";
import "./permissions.journey.ts";
import "./merchant-operations.journey.ts";
import "./reviews-rules-payouts.journey.ts";
import "./dashboard-failures.journey.ts";
import "./keyboard.journey.ts";
