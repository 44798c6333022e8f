/**
 * Settings for connections that send batches. The planner misestimates array parameters, and more so as tables grow.
 * These settings keep its plans on indexes.
 */
export const pinnedPlans = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off",
};
