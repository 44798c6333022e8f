/**
 * Tests the whole system from outside: the real command, its real Postgres, the demo shop and a real Chromium. Each
 * journey has its own file. This file runs those of payments in the dashboard with a single start of Florin.
 */
import "./merchant-operations.journey.ts";
import "./reviews-rules-payouts.journey.ts";
import "./dashboard-failures.journey.ts";
import "./keyboard.journey.ts";
