// The changes of fields that can be undone: the states of all fields, before and after
// each. A state is what the inputs hold, so that whatever changed them, it can be undone.

import { add, fill, newKey, partOf, parts, remove, values } from "./fields.js";

let past, future, now;

const state = () => new Map(parts().map((part) => [part.dataset.field, values(part)]));
const same = (a, b) => a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
const differing = (a, b) => [...new Set([...a.keys(), ...b.keys()])].filter((key) => !same(a.get(key), b.get(key)));

/** Begins with the fields as they are, and with the changes of the page before this one. */
export function beginChanges(kept) {
  now = state();
  past = effective((kept?.past ?? []).map((was) => rebased(was, kept.now)));
  future = effective((kept?.future ?? []).map((was) => rebased(was, kept.now)));
}

// The states without those whose change is gone, as with the document that it was made in;
// the last one is next to now.
function effective(states) {
  let next = now;
  return states.reduceRight((left, was) => {
    if (differing(was, next).length > 0) {
      left.unshift(was);
      next = was;
    }
    return left;
  }, []);
}

const most = 30; // changes that outlast the page

/** The changes, for the page after this one. */
export const keptChanges = () => ({ past: past.slice(-most), future: future.slice(-most), now });

const added = /^f\d{13,}$/; // the keys under which the server takes fields from a page
const renamed = new Map();

// What a field was before a change, where the server has meanwhile changed it too: what the
// change was not about is as it is now, and what has come or gone since stays so.
function rebased(was, before) {
  const goal = new Map();
  for (const [key, part] of was) {
    const settled = before.has(key) && same(part, before.get(key));
    if (now.has(key)) {
      goal.set(key, settled ? now.get(key) : part);
    } else if (!before.has(key)) {
      goal.set(added.test(key) ? key : renamed.get(key) ?? renamed.set(key, newKey()).get(key), part);
    }
  }
  now.forEach((part, key) => before.has(key) || goal.set(key, part));
  return goal;
}

/** Whether there is something to undo, and something to do again. */
export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

/** Notes what has changed since the last time as one change, or, with more, as a part of the last one; false if nothing has. */
export function commit(more = false) {
  const next = state();
  if (differing(now, next).length === 0) {
    return false;
  }
  if (!more || past.length === 0) {
    past.push(now);
  }
  future = [];
  now = next;
  return true;
}

/** Undoes the last change; returns the keys of the fields that it was about. */
export const undo = () => travel(past, future);

/** Makes the last change that was undone again. */
export const redo = () => travel(future, past);

function travel(from, to) {
  const goal = from.pop();
  if (!goal) {
    return [];
  }
  to.push(now);
  const keys = differing(now, goal);
  for (const key of keys) {
    const part = partOf(key);
    if (!goal.has(key)) {
      remove(part);
    } else {
      fill(part ?? add(key), goal.get(key));
    }
  }
  now = state();
  return keys;
}
