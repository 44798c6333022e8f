import assert from "node:assert/strict";
import { test } from "node:test";
import { movedFrom } from "./moved-port.ts";

test("the start names the port that was in use, and the setting that chooses another port", () => {
  const text = "Port 4242 is in use, so Florin listens on 4244. Set PORT to choose another.";
  const at = (configured: number | null, url: string) =>
    movedFrom(4242, configured, url, "Florin", "PORT");
  assert.equal(at(null, "http://127.0.0.1:4244"), text);
  assert.equal(at(null, "http://127.0.0.1:4242"), null);
  assert.equal(at(0, "http://127.0.0.1:38121"), null);
});
