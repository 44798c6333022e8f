import assert from "node:assert/strict";
import { test } from "node:test";
import {
  admitted,
  afterFailure,
  type Circuit,
  closedCircuit,
  isOpen,
} from "./connection-circuit.ts";

const start = new Date("2026-03-01T12:00:00Z");
const after = (milliseconds: number) => new Date(start.getTime() + milliseconds);

function failed(times: number): Circuit {
  let circuit = closedCircuit;
  for (let failures = 0; failures < times; failures++) circuit = afterFailure(circuit, start, 0.5);
  return circuit;
}

test("the circuit opens at the fifth consecutive request without a response", () => {
  assert.equal(isOpen(failed(4), start), false);
  assert.equal(isOpen(failed(5), after(999)), true);
  assert.equal(isOpen(failed(5), after(1_000)), false);
  assert.deepEqual(failed(6).openUntil, after(2_000));
});

test("an open circuit rejects requests, and then admits a single probe", () => {
  const open = failed(5);
  assert.equal(admitted(open, after(500)), null);
  const probed = admitted(open, after(1_000));
  assert.ok(probed);
  assert.equal(admitted(probed, after(1_001)), null, "a second request is not a probe");
  assert.deepEqual(afterFailure(probed, after(1_500), 0.5).openUntil, after(3_500));
  assert.ok(
    admitted(probed, after(21_000)),
    "a probe without any outcome does not close it for good",
  );
});

test("a circuit that opened while the clock was ahead admits a probe after the clock is corrected", () => {
  const open = failed(20);
  assert.equal(isOpen(open, after(0)), true);
  assert.ok(admitted(open, after(-3_600_000)));
});

test("a closed circuit admits every request", () => {
  assert.equal(admitted(closedCircuit, start), closedCircuit);
  assert.equal(admitted(failed(4), start)?.failures, 4);
});
