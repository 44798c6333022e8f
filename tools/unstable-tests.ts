/**
 * Test files that may fail once and pass when they are repeated, each with the reason. Every other file that passes
 * only at its second run fails the run. Keep this list empty: find the cause instead.
 */
export const unstableTests: Readonly<Record<string, string>> = {
  "server/test/conformance/acquirers.api.test.ts":
    "once in six runs, at a load of 12, no sale with a gateway token reached the acquirer within 59 s. The cause is not known yet. The output now contains the response that rejected the token",
};
