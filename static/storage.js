// What a tab keeps over its pages: in the browser's storage or, where that is not there or
// takes no more, in memory, for as long as the page lives.

const memory = new Map();

/** Keeps text under key. Returns whether the next page of the tab will find it. */
export function keep(key, text) {
  memory.set(key, text);
  try {
    sessionStorage.setItem(key, text);
    memory.delete(key);
    return true;
  } catch {
    remove(key); // what it holds is older
    return false;
  }
}

/** The text that is kept under key; null for none. */
export function recall(key) {
  if (memory.has(key)) {
    return memory.get(key);
  }
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The value that is kept under key as JSON; null for none, and for what is no JSON. */
export function recallValue(key) {
  try {
    return JSON.parse(recall(key));
  } catch {
    return null;
  }
}

/** Keeps nothing under key. */
export function drop(key) {
  memory.delete(key);
  remove(key);
}

/** Whether the next page of the tab will find anything that is kept here. */
export function lasts() {
  const lasting = keep("lasts", "yes");
  drop("lasts");
  return lasting;
}

function remove(key) {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // there is nothing
  }
}
