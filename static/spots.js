// The fields on the pages: a button each, drawn from the field's inputs and named after
// them. One field is chosen: its settings stand beside the pages, and it has handles.

import { input, parts } from "./fields.js";
import { paperOf, placeOf, sizeOf } from "./places.js";

let root, chosenPart;
const spots = new WeakMap(); // the buttons, by part

const copy = (id) => document.importNode(document.getElementById(id).content, true);

/** Begins with no field chosen. */
export function beginSpots(editor) {
  root = editor;
  chosenPart = null;
  draw();
}

/** The part that is chosen, or null. */
export const chosen = () => (chosenPart?.isConnected ? chosenPart : null);

/** The button of a part. */
export const spotOf = (part) => spots.get(part);

/** The part of a button. */
export const partAt = (spot) => parts().find((part) => spots.get(part) === spot);

/** Draws all fields. */
export function draw() {
  const all = parts();
  for (const part of all) {
    drawPart(part);
  }
  const there = new Set(all.map((part) => spots.get(part)));
  for (const spot of root.querySelectorAll(".spot")) {
    if (!there.has(spot)) {
      spot.remove();
    }
  }
  show();
}

/** Draws a field; while it is dragged, in its old page. */
export function drawPart(part, held = null) {
  const spot = spots.get(part) ?? made(part);
  const at = placeOf(part);
  spot.hidden = !at;
  if (!at) {
    return;
  }
  const paper = held ?? paperOf(at.sheet);
  if (spot.parentElement !== paper) {
    const focused = spot === document.activeElement;
    paper.append(spot);
    if (focused) {
      spot.focus({ preventScroll: true });
    }
  }
  lay(spot, at, held);
  spot.classList.toggle("wrong-spot", Boolean(part.querySelector('[aria-invalid="true"]')));
  name(part, spot, at);
}

function lay(spot, at, held) {
  const page = sizeOf(at.sheet);
  let [left, top] = [at.left / page.width, at.top / page.height];
  if (held && held !== paperOf(at.sheet)) {
    const [from, to] = [held.getBoundingClientRect(), paperOf(at.sheet).getBoundingClientRect()];
    left = (to.left - from.left + left * to.width) / from.width;
    top = (to.top - from.top + top * to.height) / from.height;
  }
  const per = (n) => `${n * 100}%`;
  Object.assign(spot.style, { left: per(left), top: per(top), width: per(at.width / page.width), height: per(at.height / page.height) });
}

function made(part) {
  const spot = copy("spot").querySelector(".spot");
  spots.set(part, spot);
  if ("found" in part.dataset) {
    spot.dataset.found = "";
  } else {
    spot.setAttribute("aria-describedby", "spot-hint");
  }
  return spot;
}

// A field is called as everything that it is named after is called now.
function name(part, spot, at) {
  const recipient = input(part, "recipient");
  const called = part.querySelector("legend").textContent;
  const said = { name: called, kind: input(part, "kind").selectedOptions[0].textContent, recipient: recipient.selectedOptions[0]?.textContent, page: at.sheet.dataset.name };
  const who = numberOf(recipient.value);
  const all = root.dataset.spot.replace(/\{(\w+)\}/g, (_, word) => said[word]);
  if (spot.getAttribute("aria-label") === all && spot.dataset.who === String(colourOf(who))) {
    return;
  }
  spot.setAttribute("aria-label", all);
  spot.querySelector(".spot-name").textContent = called;
  spot.dataset.who = colourOf(who);
  spot.querySelector(".spot-who").dataset.number = who || "?"; // is shown, and is no part of its name
}

const colours = 8;

/** The number of a recipient, from 1; 0 for nobody. */
export const numberOf = (key) => [...document.getElementById("palette-recipient").options].findIndex((o) => o.value === key) + 1;

/** The number of the colour of the recipient with that number. */
export const colourOf = (who) => (who ? ((who - 1) % colours) + 1 : 0);

/** Chooses a field, or with null none: its settings are shown. */
export function choose(part) {
  chosenPart = part;
  show();
}

function show() {
  const now = chosen();
  for (const part of parts()) {
    const hidden = part !== now && !("always" in part.dataset); // what stands on no page cannot be chosen
    if (part.hidden !== hidden) {
      part.hidden = hidden;
    }
    spots.get(part)?.classList.toggle("chosen", part === now);
  }
  const none = root.querySelector(".none-chosen");
  none.hidden = Boolean(now) || parts().length === 0;
  for (const at of now?.querySelectorAll("[data-do='everywhere']") ?? []) {
    at.hidden = !mayStandEverywhere(now);
  }
  handles(now && !("found" in now.dataset) ? spots.get(now) : null);
  fit();
}

/** Lets the palette step aside where there is no room for it below the settings of the chosen field. */
export function fit() {
  const [side, settings, tools] = [".side", ".settings", ".tools"].map((part) => root.querySelector(part));
  const [end, room] = [settings.getBoundingClientRect().bottom + tools.offsetHeight, document.querySelector(".ends").getBoundingClientRect().top];
  const sticks = side.getBoundingClientRect().top <= parseFloat(getComputedStyle(side).top);
  root.classList.toggle("cramped", Boolean(chosen()) && !sticks && end > room - 12);
}

const everywhere = (kind) => "everywhere" in document.getElementById("kinds").content.querySelector(`[value="${kind}"]`).dataset;
const mayStandEverywhere = (part) => everywhere(input(part, "kind").value) && root.querySelectorAll(".ed-sheet").length > 1;

// Eight handles; one for what is too small for them.
const small = 40;

/** Gives the handles to a button. */
export function handles(spot) {
  for (const handle of root.querySelectorAll(".handle")) {
    if (handle.parentElement !== spot) {
      handle.remove();
    }
  }
  if (!spot) {
    return;
  }
  if (!spot.querySelector(".handle")) {
    spot.append(copy("handles"));
  }
  const box = spot.getBoundingClientRect();
  spot.classList.toggle("tiny", box.width < small || box.height < small);
}
