/**
 * Tests the whole system from outside: the real command, its real Postgres, the demo shop and a real Chromium. Each
 * journey has its own file. This file runs those of 3-D Secure with a single start of Florin.
 */
import "./three-d-secure.journey.ts";
import "./three-d-secure-family.journey.ts";
