/**
 * Tests the whole system in a browser: the `florin start` command with its Postgres, the demo shop, and Chromium. Each
 * journey has a separate file. This file runs the journeys of the checkout, 3-D Secure and the public API with one
 * start of Florin.
 */
import "./paying.journey.ts";
import "./saved-cards.journey.ts";
import "./setup-session.journey.ts";
import "./wallets.journey.ts";
import "./double-submit.journey.ts";
import "./reload-and-return.journey.ts";
import "./allowed-origins.journey.ts";
import "./strict-csp.journey.ts";
import "./first-payment-to-webhook.journey.ts";
import "./card-data-leak.journey.ts";
import "./unknown-outcomes.journey.ts";
import "./quickstart.journey.ts";
import "./three-d-secure.journey.ts";
import "./three-d-secure-family.journey.ts";
