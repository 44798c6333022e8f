import type { OperationKind } from "../../acquiring/processor.ts";
import { captureRules, voidRules } from "./hold.ts";
import type { OperationRules } from "./operation.ts";
import { refundRules } from "./refund.ts";

/** The rules of each kind of operation. */
export const operationRules: Readonly<Record<OperationKind, OperationRules>> = {
  capture: captureRules,
  void: voidRules,
  refund: refundRules,
};
