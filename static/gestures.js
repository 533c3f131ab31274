// What a hand does on the pages: it drags fields, also to another page, and changes their
// size by their handles. Neither moves the page, nor the focus anywhere but to that field.

import { input, parts } from "./fields.js";
import { anchored, paperOf, placeOf, put, resize, scaleOf, sheets, sizeOf, within } from "./places.js";
import { choose, drawPart, handles, partAt, spotOf } from "./spots.js";

const slack = 3; // pixels that a click may move by
const near = 4; // pixels from which an edge snaps to another one
const least = 8; // points that a field is wide and high

let hand = null; // what is being dragged

let exact = { clientX: NaN, clientY: NaN }; // where the pointer went down; a click tells whole pixels

/** Begins to listen; changed is called when a gesture is over. */
export function beginGestures(root, changed) {
  root.addEventListener("pointerdown", (event) => down(event, root, changed));
  root.addEventListener("dragstart", (event) => event.preventDefault()); // the browser's own dragging
  root.addEventListener("pointerover", ({ target }) => {
    const spot = target.closest?.(".spot");
    if (spot && !hand && !("found" in spot.dataset)) {
      handles(spot);
    }
  });
}

/** Puts what is being dragged back; false if nothing is. */
export function letGo() {
  hand?.end(true);
  return Boolean(hand);
}

function down(event, root, changed) {
  exact = event;
  const spot = event.target.closest(".spot");
  if (!spot || event.button !== 0 || hand || root.classList.contains("placing")) {
    return;
  }
  const part = partAt(spot);
  changed();
  choose(part);
  spot.focus({ preventScroll: true });
  if ("found" in part.dataset) {
    spot.setPointerCapture(event.pointerId); // a click beside it would close its settings
    return;
  }
  hold(event, part, event.target.closest(".handle")?.dataset.side, changed);
}

function hold(event, part, side, changed) {
  const spot = spotOf(part);
  const paper = spot.parentElement;
  const at = placeOf(part);
  const before = ["page", "document", "left", "top", "right", "down", "width", "height"].map((name) => [name, input(part, name).value]);
  const { x, y, scale } = scaleOf(at.sheet);
  const grip = { x: (event.clientX - x) / scale - at.left, y: (event.clientY - y) / scale - at.top };
  const from = { x: event.clientX, y: event.clientY, scrolled: scrollY };
  const edges = new Map(); // of the other fields, by page: they stay while the hand holds
  const edgesOf = (sheet) => edges.get(sheet) ?? edges.set(sheet, edgesOn(sheet, part)).get(sheet);
  let moves = false;
  let last = event;
  const move = (moved) => {
    last = moved.clientX === undefined ? last : moved;
    moves ||= Math.hypot(last.clientX - from.x, last.clientY - from.y + scrollY - from.scrolled) > slack;
    if (!moves) {
      return;
    }
    spot.classList.add("held");
    const snaps = last.altKey || last.ctrlKey ? null : edgesOf;
    if (side) {
      stretch(part, at, side, { x: (last.clientX - from.x) / scale, y: (last.clientY - from.y + scrollY - from.scrolled) / scale }, snaps);
    } else {
      carry(part, at, grip, last, snaps);
    }
    drawPart(part, paper);
  };
  hand = {
    end(back) {
      hand = null;
      spot.classList.remove("held");
      spot.removeEventListener("pointermove", move);
      removeEventListener("scroll", move, true);
      if (back) {
        before.forEach(([name, value]) => (input(part, name).value = value));
      }
      drawPart(part);
      spot.focus({ preventScroll: true });
      handles(spot);
      changed();
    },
  };
  spot.setPointerCapture(event.pointerId);
  spot.addEventListener("pointermove", move);
  addEventListener("scroll", move, true); // the wheel turns while the hand holds
  spot.addEventListener("lostpointercapture", () => hand?.end(false), { once: true });
}

// The page under the pointer; beside all pages, the one that the field is on.
function under({ clientX, clientY }, otherwise) {
  return [otherwise, ...sheets()].find((sheet) => {
    const { box } = scaleOf(sheet);
    return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
  }) ?? otherwise;
}

function carry(part, at, grip, event, snaps) {
  const here = placeOf(part);
  const sheet = anchored(part) ? at.sheet : under(event, here.sheet);
  const { x, y, scale } = scaleOf(sheet);
  const size = { width: at.width, height: at.height };
  const wished = { sheet, left: Math.round((event.clientX - x) / scale - grip.x), top: Math.round((event.clientY - y) / scale - grip.y), ...size };
  if (snaps) {
    const edges = snaps(sheet);
    wished.left += nearest([wished.left, wished.left + size.width], edges.x, scale);
    wished.top += nearest([wished.top, wished.top + size.height], edges.y, scale);
  }
  put(part, within(wished));
}

function stretch(part, at, side, by, snaps) {
  const { scale } = scaleOf(at.sheet);
  const page = sizeOf(at.sheet);
  const edges = snaps ? snaps(at.sheet) : { x: [], y: [] };
  const to = (n, others, most) => {
    const edge = Math.round(n);
    return Math.max(0, Math.min(most, edge + nearest([edge], others, scale)));
  };
  const box = { left: at.left, top: at.top, right: at.left + at.width, bottom: at.top + at.height };
  if (/e/.test(side)) {
    box.right = Math.max(box.left + least, to(box.right + by.x, edges.x, page.width));
  }
  if (/w/.test(side)) {
    box.left = Math.min(box.right - least, to(box.left + by.x, edges.x, page.width));
  }
  if (/s/.test(side)) {
    box.bottom = Math.max(box.top + least, to(box.bottom + by.y, edges.y, page.height));
  }
  if (/n/.test(side)) {
    box.top = Math.min(box.bottom - least, to(box.top + by.y, edges.y, page.height));
  }
  resize(part, { width: box.right - box.left, height: box.bottom - box.top });
  put(part, { sheet: at.sheet, left: box.left, top: box.top });
}

// The edges of the other fields on a page.
function edgesOn(sheet, part) {
  const edges = { x: [], y: [] };
  for (const other of parts()) {
    const at = other === part ? null : placeOf(other);
    if (at?.sheet === sheet) {
      edges.x.push(at.left, at.left + at.width);
      edges.y.push(at.top, at.top + at.height);
    }
  }
  return edges;
}

// How far the nearest of some edges is from one of others, if it snaps.
function nearest(own, others, scale) {
  let best = null;
  for (const edge of own) {
    for (const other of others) {
      if (Math.abs(other - edge) * scale <= near && (best === null || Math.abs(other - edge) < Math.abs(best))) {
        best = other - edge;
      }
    }
  }
  return best ?? 0;
}

/** The page that is in sight. */
export function inSight(otherwise) {
  const seen = (sheet) => {
    const box = paperOf(sheet).getBoundingClientRect();
    return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  };
  const [best] = sheets().sort((a, b) => seen(b) - seen(a));
  return seen(best) > 0 ? best : otherwise ?? best;
}

/** Where on a page a click is, in points. */
export function pressed(event, sheet) {
  const { x, y, scale } = scaleOf(sheet);
  const at = Math.hypot(event.clientX - exact.clientX, event.clientY - exact.clientY) < 2 ? exact : event;
  return { left: (at.clientX - x) / scale, top: (at.clientY - y) / scale };
}
