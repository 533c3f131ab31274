// The editor of fields: pages with fields on them, a palette, and the settings of the
// chosen field. Each gesture, key and button is a function that changes the inputs of the
// form; what is shown is drawn from them. Without scripts the inputs do all of it.

import { beginChanges, canRedo, canUndo, commit, keptChanges, redo, undo } from "./changes.js";
import { add, fill, follow, input, newKey, partOf, parts, remove, title, unused, values } from "./fields.js";
import { eachGap } from "./gaps.js";
import { beginGestures, inSight, letGo, pressed } from "./gestures.js";
import { beginHits, look, lookSoon, mark } from "./hits.js";
import { addAt, addInTheMiddle, beginPalette, pick, picked } from "./palette.js";
import { anchored, placeOf, put, resize, sheets, size, sizeOf, whole, within } from "./places.js";
import { beginSpots, choose, chosen, draw, drawPart, fit, partAt, spotOf } from "./spots.js";
import { unfold } from "./words.js";

let root, there;

/** Begins with the fields of the page that is shown, and with the changes of the one before. */
export function editor(kept) {
  root = document.getElementById("editor");
  if (!root) {
    return;
  }
  root.classList.add("ready");
  form().elements.by_hand.value = "yes";
  there = parts().filter((part) => !("found" in part.dataset)).map((part) => part.dataset.field);
  parts().forEach(title);
  root.querySelectorAll("a.words").forEach(unfold);
  beginPalette(root);
  beginSpots(root);
  beginChanges(kept);
  beginHits(root, { redraw, chose: moved });
  beginGestures(root.querySelector(".ed-sheets"), changed);
  listen();
  buttons();
  reveal(form().querySelector(".composed [autofocus]") ?? document.getElementById(location.hash.slice(1) || null));
  parts().filter(anchored).forEach(look);
}

const form = () => document.getElementById("compose");
const say = (what) => (root.querySelector('[role="status"]').textContent = root.dataset[what]);

// The inputs have changed: as one change, or with more as a part of the last one.
function changed(more = false) {
  const is = commit(more);
  if (is) {
    root.querySelector('[role="status"]').textContent = ""; // what was said of the last change
  }
  const removed = form().elements.removed;
  removed.value = there.filter((key) => !partOf(key)).join(" ");
  if (is) {
    removed.dispatchEvent(new Event("input", { bubbles: true })); // so that the tab keeps it
  }
  redraw();
}

function redraw() {
  draw();
  mark(chosen());
  buttons();
}

function moved(part) {
  drawPart(part);
  changed();
}

function buttons() {
  document.getElementById("undo").setAttribute("aria-disabled", !canUndo());
  document.getElementById("redo").setAttribute("aria-disabled", !canRedo());
}

function listen() {
  const pages = root.querySelector(".ed-sheets");
  pages.addEventListener("click", clicked);
  pages.addEventListener("keydown", pressedKey);
  pages.addEventListener("focusin", ({ target }) => target.matches(".spot") && chooseSpot(target));
  pages.addEventListener("error", unshown, true);
  eachGap(incomplete);
  const settings = root.querySelector(".settings");
  settings.addEventListener("input", set);
  settings.addEventListener("change", () => changed());
  settings.addEventListener("click", did);
  settings.addEventListener("keydown", back);
  document.getElementById("add-field").addEventListener("click", (event) => {
    event.preventDefault();
    changed();
    const last = chosen() && placeOf(chosen());
    arrive(addInTheMiddle(inSight(last?.sheet)), false);
  });
  document.getElementById("undo").addEventListener("click", () => travel(undo, "undone", false));
  document.getElementById("redo").addEventListener("click", () => travel(redo, "redone", false));
}

function chooseSpot(spot) {
  const part = partAt(spot);
  if (part && part !== chosen()) {
    choose(part);
    mark(part);
    look(part);
  }
}

// A new field is chosen, and has the focus.
function arrive(part, still = true) {
  choose(part);
  changed();
  spotOf(part).focus({ preventScroll: still });
}

function clicked(event) {
  const paper = event.target.closest(".paper");
  if (paper && picked() && event.detail > 0) {
    changed();
    const sheet = paper.closest(".ed-sheet");
    arrive(addAt(sheet, pressed(event, sheet)));
  } else if (event.target.closest(".spot") && event.detail === 0) {
    settingsOf(partAt(event.target.closest(".spot")));
  } else if (paper && !event.target.closest(".spot, .hit")) {
    choose(null);
    mark(null);
  }
}

// From the keyboard, a field leads to its settings.
function settingsOf(part) {
  choose(part);
  (part.querySelector(".for-label input") ?? input(part, "recipient")).focus();
}

function back(event) {
  if (event.key === "Escape" && chosen()) {
    changed();
    spotOf(chosen())?.focus();
  }
}

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const far = 10; // by how much an arrow goes with Shift

function pressedKey(event) {
  const part = event.target.matches(".spot") && partAt(event.target);
  if (!part || "found" in part.dataset) {
    return;
  }
  const [x, y] = arrows[event.key] ?? [0, 0];
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    take(part);
  } else if ((x || y) && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    step(part, event, x, y);
  }
}

function step(part, event, x, y) {
  changed();
  const by = event.shiftKey ? far : 1;
  const at = placeOf(part);
  const page = sizeOf(at.sheet);
  if (event.altKey) {
    const near = (n, most) => Math.max(1, Math.min(n, most));
    resize(part, { width: near(at.width + x * by, page.width - at.left), height: near(at.height + y * by, page.height - at.top) });
  } else {
    put(part, within({ ...at, left: at.left + x * by, top: at.top + y * by }));
  }
  changed(event.repeat);
}

// Removes a field; the focus goes to the one after it.
function take(part) {
  changed();
  const all = [...root.querySelectorAll(".spot:not([hidden])")];
  const at = all.indexOf(spotOf(part));
  const next = all[at + 1] ?? all[at - 1] ?? document.getElementById("add-field");
  remove(part);
  choose(null);
  changed();
  next.focus({ preventScroll: true });
  say("removed");
}

function set({ target }) {
  const part = target.closest(".composed");
  const name = target.name.slice(part.dataset.field.length + 1);
  if (name === "kind") {
    follow(part);
  }
  if (name === "anchor") {
    input(part, "hit").value = "1";
    lookSoon(part);
  }
  title(part);
  redraw();
}

function did(event) {
  const button = event.target.closest("button");
  const part = event.target.closest(".composed");
  if (!button) {
    return;
  }
  if (button.value.startsWith("remove:")) {
    event.preventDefault();
    take(part);
  } else if (button.dataset.do === "duplicate") {
    duplicate(part);
  } else if (button.dataset.do === "everywhere") {
    everywhere(part);
  } else if (button.dataset.do === "done") {
    leave();
  }
}

// Where a field's settings are in the place of the palette, it comes back.
function leave() {
  changed();
  choose(null);
  mark(null);
  root.querySelector(".kind-button").focus({ preventScroll: true });
}

// What a copy of a field is called.
function again(part) {
  const label = input(part, "label").value.trim();
  return unused(label.replace(/ \d+$/, ""), label.match(/ \d+$/) ? 1 : 2);
}

function duplicate(part) {
  if (!part || "found" in part.dataset) {
    return;
  }
  changed();
  const copy = add(newKey(), { ...values(part), label: again(part) });
  const at = placeOf(part);
  if (at) {
    draw();
    put(copy, whole({ ...at, left: at.left + far, top: at.top + far }));
  }
  arrive(copy);
}

function everywhere(part) {
  changed();
  const at = placeOf(part);
  if (!at) {
    return;
  }
  const [key] = at.sheet.dataset.sheet.split(".");
  for (const sheet of sheets().filter((s) => s !== at.sheet && s.dataset.sheet.startsWith(`${key}.`))) {
    const copy = add(newKey(), { ...values(part), label: again(part), anchor: "" });
    put(copy, whole({ ...at, sheet, ...size(part) }));
  }
  changed();
}

function travel(way, what, focuses) {
  changed();
  const keys = way();
  if (keys.length === 0) {
    return;
  }
  parts().forEach(title);
  const part = keys.map(partOf).find(Boolean) ?? null;
  if (part || !chosen()) {
    choose(part);
  }
  form().elements.removed.value = there.filter((key) => !partOf(key)).join(" ");
  form().elements.removed.dispatchEvent(new Event("input", { bubbles: true }));
  redraw();
  if (focuses && part) {
    spotOf(part).focus();
  }
  say(what);
}

// Shows what a field's input, by an error or by a link, is about.
function reveal(target) {
  const part = target?.closest?.(".composed");
  if (part) {
    choose(part);
    redraw();
    target.focus();
  }
}

// Says under a page that characters are missing in its picture.
function incomplete(path) {
  for (const picture of root.querySelectorAll(".paper img")) {
    const sheet = picture.closest(".ed-sheet");
    if (new URL(picture.src).pathname === path && !sheet.querySelector(".incomplete")) {
      sheet.querySelector(".paper").after(noteOf(sheet, "gap"));
    }
  }
}

// Returns a copy of a note about a page, with a link to its file.
function noteOf(sheet, id) {
  const note = document.importNode(document.getElementById(id).content, true);
  const [key] = sheet.dataset.sheet.split(".");
  note.querySelector("a").href = document.getElementById(`${key}-name`).href;
  return note;
}

function unshown({ target }) {
  const paper = target.closest?.(".paper");
  if (!paper || paper.querySelector(".unshown")) {
    return;
  }
  paper.append(noteOf(paper.closest(".ed-sheet"), "unshown"));
}

/** The changes of fields that can be undone, for the page after this one; null if there are no fields. */
export function leaveEditor() {
  if (!root?.isConnected) {
    return null;
  }
  commit();
  return keptChanges();
}

/** Calls the fields on the pages as everything that they are named after is called now. */
export const nameFields = () => root && redraw();

const writes = (target) => target.matches("textarea, input:is([type=text], [type=email], [type=tel], [type=date], [type=number], [type=search])") && !target.readOnly;

document.addEventListener("keydown", (event) => {
  if (!root?.isConnected) {
    return;
  }
  const key = event.key.toLowerCase();
  if (key === "escape") {
    if (!letGo()) {
      pick(null);
    }
  } else if ((event.ctrlKey || event.metaKey) && !event.altKey && !writes(event.target)) {
    if (key === "d" && chosen()) {
      event.preventDefault();
      duplicate(chosen());
    } else if (key === "z" && !event.shiftKey) {
      event.preventDefault();
      travel(undo, "undone", true);
    } else if (key === "y" || key === "z") {
      event.preventDefault();
      travel(redo, "redone", true);
    }
  }
});

addEventListener("scroll", () => root?.isConnected && fit(), { passive: true });
addEventListener("resize", () => root?.isConnected && redraw()); // handles depend on pixels

document.addEventListener("click", ({ target }) => {
  const to = target.closest?.('a[href^="#"]')?.getAttribute("href").slice(1);
  if (to && root?.isConnected) {
    reveal(document.getElementById(to));
  }
}, true);
