/**
 * Tests the whole system in a browser: the `florin start` command with its Postgres, the demo shop, and Chromium. Each
 * journey has a separate file. This file runs the journeys of the dashboard with one start of Florin.
 */
import "./going-live.journey.ts";
import "./operator-wallets.journey.ts";
import "./signing-in.journey.ts";
import "./account-settings.journey.ts";
import "./permissions.journey.ts";
import "./merchant-operations.journey.ts";
import "./reviews-rules-payouts.journey.ts";
import "./payments-and-disputes.journey.ts";
import "./dashboard-failures.journey.ts";
import "./keyboard.journey.ts";
import "./six-tasks.journey.ts";
import "./docs.journey.ts";
import "./dashboard-details.journey.ts";
import "./phone-lists.journey.ts";
import "./approval-rates.journey.ts";
