// The places of a text by which the chosen field stands. Each is marked on its page as a
// button; the field stands beside the chosen one.

import { input } from "./fields.js";
import { allHits, chosenHit, documentOf, documents, hitsOf, paperOf, remember, sheetOf, sizeOf } from "./places.js";

const patience = 150; // milliseconds after the last letter

let root, changed, waiting;

/** Begins to look for texts; redraw is called when their places are known, chosen when one is chosen. */
export function beginHits(editor, { redraw, chose }) {
  root = editor;
  changed = { redraw, chose };
}

const text = (part) => input(part, "anchor")?.value.trim() ?? "";

/** Looks for the text of a field, if it has one, in all documents. */
export async function look(part) {
  const wanted = text(part);
  if (wanted && !allHits(part)) {
    await Promise.all(documents().map((key) => lookIn(key, wanted)));
  }
  if (part.isConnected) {
    changed.redraw();
  }
}

async function lookIn(key, wanted) {
  const [, pkg, document_] = sheetOf(key, 1).querySelector("img").getAttribute("src").match(/^\/packages\/([^/]+)(\/documents\/[^/]+)/);
  const answer = await fetch(`/packages/new/${pkg}${document_}/hits?text=${encodeURIComponent(wanted)}`, { headers: { Accept: "application/json" } }).catch(() => null);
  if (answer && (answer.ok || answer.status === 400)) {
    remember(key, wanted, answer.ok ? (await answer.json()).hits : []);
  }
}

/** Looks for the text of a field once it is typed; the field goes to the document that has it. */
export function lookSoon(part) {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    await look(part);
    const [first] = text(part) ? allHits(part) ?? [] : [];
    if (first && hitsOf(part)?.length === 0) {
      take(part, first);
    }
  }, allHits(part) ? 0 : patience);
}

// Lets a field stand by a place of its text.
function take(part, at) {
  input(part, "document").value = at.document;
  input(part, "hit").value = at.index + 1;
  changed.chose(part);
}

/** Marks the places of a field's text; of none with null. */
export function mark(part) {
  const hits = part && text(part) ? allHits(part) : undefined;
  const there = [...root.querySelectorAll(".hit")];
  there.slice(hits?.length ?? 0).forEach((hit) => hit.remove());
  part?.querySelector(".nowhere")?.toggleAttribute("hidden", !text(part) || !hits || hitsOf(part).length > chosenHit(part));
  hits?.forEach((at, i) => {
    const sheet = sheetOf(at.document, at.page);
    const hit = there[i] ?? document.importNode(document.getElementById("hit").content, true).firstElementChild;
    if (!sheet) {
      return;
    }
    lay(hit, at, sheet);
    const said = { number: i + 1, count: hits.length, page: at.page, name: sheet.dataset.of };
    hit.setAttribute("aria-label", root.dataset.hit.replace(/\{(\w+)\}/g, (_, word) => said[word]));
    hit.setAttribute("aria-pressed", at.document === documentOf(part) && at.index === chosenHit(part));
    hit.onclick = () => take(part, at);
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
