// The places of a text by which the chosen field stands. Each is marked on its page as a
// button; the field stands beside the chosen one.

import { input } from "./fields.js";
import { chosenHit, documentOf, hitsOf, paperOf, remember, sheetOf, sizeOf } from "./places.js";

const patience = 150; // milliseconds after the last letter

let root, changed, waiting;

/** Begins to look for texts; redraw is called when their places are known, chosen when one is chosen. */
export function beginHits(editor, { redraw, chose }) {
  root = editor;
  changed = { redraw, chose };
}

const text = (part) => input(part, "anchor")?.value.trim() ?? "";

/** Looks for the text of a field, if it has one. */
export async function look(part) {
  if (!text(part) || hitsOf(part)) {
    changed.redraw();
    return;
  }
  const [key, wanted] = [documentOf(part), text(part)];
  const where = sheetOf(key, 1)?.querySelector("img").getAttribute("src").match(/^\/packages\/([^/]+)(\/documents\/[^/]+)/);
  if (!where) {
    return;
  }
  const answer = await fetch(`/packages/new/${where[1]}${where[2]}/hits?text=${encodeURIComponent(wanted)}`, { headers: { Accept: "application/json" } }).catch(() => null);
  if (answer && (answer.ok || answer.status === 400)) {
    remember(key, wanted, answer.ok ? (await answer.json()).hits : []);
    changed.redraw();
  }
}

/** Looks for the text of a field once it is typed. */
export function lookSoon(part) {
  clearTimeout(waiting);
  if (hitsOf(part)) {
    changed.redraw();
    return;
  }
  waiting = setTimeout(() => look(part), patience);
}

/** Marks the places of a field's text; of none with null. */
export function mark(part) {
  const hits = part && text(part) ? hitsOf(part) : undefined;
  const there = [...root.querySelectorAll(".hit")];
  there.slice(hits?.length ?? 0).forEach((hit) => hit.remove());
  if (part) {
    const nowhere = part.querySelector(".nowhere");
    nowhere?.toggleAttribute("hidden", !hits || hits.length > chosenHit(part));
  }
  hits?.forEach((at, i) => {
    const sheet = sheetOf(documentOf(part), at.page);
    const hit = there[i] ?? document.importNode(document.getElementById("hit").content, true).firstElementChild;
    if (!sheet) {
      return;
    }
    lay(hit, at, sheet);
    const said = { number: i + 1, count: hits.length, page: at.page };
    hit.setAttribute("aria-label", root.dataset.hit.replace(/\{(\w+)\}/g, (_, word) => said[word]));
    hit.setAttribute("aria-pressed", i === chosenHit(part));
    hit.onclick = () => {
      input(part, "hit").value = i + 1;
      changed.chose(part);
    };
  });
}

function lay(hit, at, sheet) {
  const page = sizeOf(sheet);
  const per = (n, of) => `${(100 * n) / of}%`;
  Object.assign(hit.style, { left: per(at.left, page.width), top: per(at.top, page.height), width: per(at.width, page.width), height: per(at.height, page.height) });
  if (hit.parentElement !== paperOf(sheet)) {
    paperOf(sheet).append(hit);
  }
}

