// Why a passkey prompt ended without a passkey, in a sentence of the page. The
// names are those of DOMException; WebAuthn Level 3, sections 5.1.3 and 5.1.4,
// says when each occurs.

import { text } from "./texts.js";

const reasons = {
  NotAllowedError: { calm: true, create: "js.reason.cancelled-create", get: "js.reason.cancelled-get" },
  AbortError: { calm: true, create: "js.reason.stopped", get: "js.reason.stopped" },
  TimeoutError: { calm: true, create: "js.reason.timeout", get: "js.reason.timeout" },
  InvalidStateError: { calm: "create", create: "js.reason.exists", get: "js.reason.busy" },
  SecurityError: { create: "js.reason.address", get: "js.reason.address" },
  NotSupportedError: { create: "js.reason.algorithm", get: "js.reason.unsupported" },
  ConstraintError: { create: "js.reason.constraint-create", get: "js.reason.constraint-get" },
  NotReadableError: { create: "js.reason.unreadable", get: "js.reason.unreadable" },
  UnknownError: { create: "js.reason.device", get: "js.reason.device" },
  NetworkError: { create: "js.reason.network", get: "js.reason.network" },
  DataError: { create: "js.reason.data", get: "js.reason.data" },
  EncodingError: { create: "js.reason.data", get: "js.reason.data" },
  OperationError: { create: "js.reason.pending", get: "js.reason.pending" },
};

const unnamed = { create: "js.reason.other", get: "js.reason.other" };

const failed = { create: "js.create.failed", get: "js.get.failed" };

/**
 * What to tell about error, which ended a prompt of kind "create" or "get".
 * calm: information, not an error (the person changed their mind, or nothing is left to do). action: "retry"
 * where another try can help.
 */
export function reasonOf(error, kind) {
  const reason = reasons[error?.name] ?? unnamed;
  const calm = reason.calm === true || reason.calm === kind;
  return { calm, title: text(failed[kind]), message: text(reason[kind]), action: "retry" };
}
