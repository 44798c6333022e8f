/**
 * Tests the whole system from outside: the real command, its real Postgres, the demo shop and a real Chromium. Each
 * journey has its own file. This file runs those of payments in the dashboard with a single start of Florin.
 */
import "./looking-after.journey.ts";
import "./judging.journey.ts";
import "./dashboard-in-trouble.journey.ts";
import "./keyboard.journey.ts";
