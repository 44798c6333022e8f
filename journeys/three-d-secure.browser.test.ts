/**
 * Tests the whole system in a browser: the `florin start` command with its Postgres, the demo shop, and Chromium. Each
 * journey has a separate file. This file runs the journeys of 3-D Secure with one start of Florin.
 */
import "./three-d-secure.journey.ts";
import "./three-d-secure-family.journey.ts";
