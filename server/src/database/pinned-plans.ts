/**
 * For connections that carry batches. With array parameters the planner's guesses go wrong, and worse as tables grow;
 * these plans stay right.
 */
export const pinnedPlans = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  jit: "off",
};
