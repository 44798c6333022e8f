/**
 * Tests the whole system from outside: the real command, its real Postgres, the demo shop and a real Chromium. Each
 * journey has its own file. This file runs them all with a single start of Florin.
 */
import "./paying.journey.ts";
import "./saved-cards.journey.ts";
import "./three-d-secure.journey.ts";
import "./three-d-secure-family.journey.ts";
import "./paying-once.journey.ts";
import "./coming-back.journey.ts";
import "./framing.journey.ts";
import "./strict-page.journey.ts";
import "./first-payment-to-webhook.journey.ts";
import "./looking-after.journey.ts";
import "./going-live.journey.ts";
import "./canary.journey.ts";
import "./signing-in.journey.ts";
import "./asking-again.journey.ts";
import "./dashboard-pages.journey.ts";
import "./judging.journey.ts";
import "./first-ten-minutes.journey.ts";
import "./dashboard-in-trouble.journey.ts";
import "./keyboard.journey.ts";
import "./who-may-what.journey.ts";
