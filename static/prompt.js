// One passkey prompt at a time, as browsers demand. The browser's dialogue may
// never come back (a phone that is not near, an extension that swallows the
// call), so somebody watches it: first the page offers a way on, in the end it
// gives up by itself.

const uneasy = 15_000;
const longest = 5 * 60_000;

/** What ends a prompt that makes room for another: nothing to tell anybody. */
export const superseded = new DOMException("superseded", "AbortError");

let current = null;

/** Ends the prompt under way, if any; who waits for it gets reason. */
export function stop(reason = superseded) {
  current?.abort(reason);
  current = null;
}

/** Runs ask(signal) after ending whatever prompt was under way. */
export async function exclusive(ask) {
  stop();
  const controller = new AbortController();
  current = controller;
  try {
    return await Promise.race([aborted(controller.signal), ask(controller.signal)]);
  } finally {
    if (current === controller) {
      current = null;
    }
  }
}

/**
 * Runs ask(signal) exclusively and under watch: onStall is called once when it
 * takes suspiciously long; after limit milliseconds it ends as a TimeoutError.
 */
export async function watched(ask, { onStall, limit = longest }) {
  const stalled = setTimeout(onStall, uneasy);
  const over = setTimeout(() => stop(new DOMException("", "TimeoutError")), Math.min(limit, longest));
  try {
    return await exclusive(ask);
  } finally {
    clearTimeout(stalled);
    clearTimeout(over);
  }
}

// A prompt that ignores its signal must not hold the page.
function aborted(signal) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
