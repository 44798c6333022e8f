/**
 * Settings for connections that send batches. The planner misestimates the length of array parameters, and its plans
 * get worse as tables grow. These settings make it use indexes.
 */
export const pinnedPlans = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
};
