// Calls to this site's JSON interface. What goes wrong comes back as a Problem,
// with the words of the server, or of the page where the server was not reached.

import { text } from "./texts.js";

const patience = 30_000;

/** A failure to be shown: the members of application/problem+json (RFC 9457). */
export class Problem extends Error {
  constructor({ title, detail, key = "", action = "", retryable = false, instance = "", status = 0 }) {
    super(title);
    this.name = "Problem";
    Object.assign(this, { title, detail, key, action, retryable, instance, status });
  }
}

/** Sends body as JSON and returns the answer's JSON, or null where it has none. signal: to stop it; more: further headers. */
export async function send(method, path, body, signal, more) {
  const { signal: ends, settle } = endsWith(signal);
  let response, answer;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? { Accept: "application/json" } : { Accept: "application/json", "Content-Type": "application/json", ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      signal: ends,
    });
    answer = parsed(await response.text());
  } catch {
    throw unreachable();
  } finally {
    settle();
  }
  if (response.ok) {
    return answer;
  }
  throw problemOf(response, answer);
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

// AbortSignal.any would do, were it not younger than passkeys are.
function endsWith(signal) {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, patience);
  signal?.addEventListener("abort", end);
  if (signal?.aborted) {
    end();
  }
  return {
    signal: controller.signal,
    settle() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    },
  };
}

function unreachable() {
  return new Problem({ title: text("js.offline.title"), detail: text("js.offline.message"), action: "retry", retryable: true });
}

// Between us and the browser may stand proxies that answer in their own way.
function problemOf(response, answer) {
  const instance = answer?.instance || response.headers.get("X-Request-Id") || "";
  if (!answer?.title) {
    return new Problem({ title: text("js.failed.title"), detail: text("js.failed.message"), status: response.status, instance, action: "retry" });
  }
  return new Problem({ ...answer, instance, status: response.status });
}
