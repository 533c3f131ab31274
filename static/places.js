// Where fields stand: on which page, and where on it, in points from its upper left
// corner. A field stands where its numbers say, or beside a text of its document.

import { input, kindOf, number, typed } from "./fields.js";

/** The pages, in their order. */
export const sheets = () => [...document.querySelectorAll(".ed-sheet")];

/** The page of a document, by the document's key and the page's number. */
export const sheetOf = (document_, page) => document.querySelector(`[data-sheet="${CSS.escape(`${document_}.${page}`)}"]`);

/** The size of a page, in points. */
export const sizeOf = (sheet) => ({ width: Number(sheet.dataset.width), height: Number(sheet.dataset.height) });

/** The part of a page that its picture covers. */
export const paperOf = (sheet) => sheet.querySelector(".paper");

/** How many pixels a point of the page has, and where it begins on the screen. */
export function scaleOf(sheet) {
  const box = paperOf(sheet).getBoundingClientRect();
  return { x: box.left, y: box.top, box, scale: box.width / sizeOf(sheet).width };
}

/** The key of a field's document. */
export const documentOf = (part) => part.dataset.document ?? input(part, "document").value;

/** Whether a field stands beside a text. */
export const anchored = (part) => Boolean(input(part, "anchor")?.value.trim());

const known = new Map(); // the places of texts, by document and text

/** Remembers the places of a text, and returns what is remembered. */
export const remember = (document_, text, hits) => known.set(`${document_}\n${text}`, hits);
export const hitsOf = (part) => known.get(`${documentOf(part)}\n${input(part, "anchor").value.trim()}`);

/** The keys of the documents, in their order. */
export const documents = () => [...new Set(sheets().map((sheet) => sheet.dataset.sheet.split(".")[0]))];

/** The places of a field's text in all documents; undefined until they are known. */
export function allHits(part) {
  const all = documents().map((key) => known.get(`${key}\n${input(part, "anchor").value.trim()}`)?.map((at, index) => ({ ...at, document: key, index })));
  return all.includes(undefined) ? undefined : all.flat();
}

/** The number of the chosen place of a field's text, from 0. */
export const chosenHit = (part) => Math.max(0, (Math.trunc(typed(input(part, "hit"))) || 1) - 1);

// Where a field beside a text stands before it is moved.
function base(part) {
  const hit = hitsOf(part)?.[chosenHit(part)];
  if (!hit) {
    return hitsOf(part) ? null : asSent(part);
  }
  const left = input(part, "place").value === "right" ? hit.left + hit.width : hit.left;
  const tops = { below: hit.top + hit.height, above: hit.top - size(part).height };
  return { page: hit.page, left, top: tops[input(part, "place").value] ?? hit.top };
}

// Until the text has been looked for, the server's answer holds.
function asSent(part) {
  if (!part.dataset.at) {
    return null;
  }
  const [page, left, top] = part.dataset.at.split(" ").map(Number);
  return { page, left: left - moved(part, "right"), top: top - moved(part, "down") };
}

const moved = (part, name) => typed(input(part, name)) || 0;

/** The size of a field, in points. */
export function size(part) {
  if ("found" in part.dataset) {
    return { width: Number(part.dataset.width), height: Number(part.dataset.height) };
  }
  const kind = kindOf(input(part, "kind").value);
  const [width, height] = ["width", "height"].map((name) => typed(input(part, name)));
  return { width: width > 0 ? width : kind.width, height: height > 0 ? height : kind.height };
}

/** Where a field stands; null if it stands on no page. */
export function placeOf(part) {
  let at;
  if ("found" in part.dataset) {
    at = { page: Number(part.dataset.page), left: Number(part.dataset.left), top: Number(part.dataset.top) };
  } else if (anchored(part)) {
    const from = base(part);
    at = from && { page: from.page, left: from.left + moved(part, "right"), top: from.top + moved(part, "down") };
  } else {
    at = { page: typed(input(part, "page")), left: typed(input(part, "left")) || 0, top: typed(input(part, "top")) || 0 };
  }
  const sheet = at && sheetOf(documentOf(part), at.page);
  return sheet ? { sheet, left: at.left, top: at.top, ...size(part) } : null;
}

/** Moves a field: its numbers, or how far it is from its text, which keeps its page. */
export function put(part, { sheet, left, top }) {
  if (anchored(part)) {
    const from = base(part);
    input(part, "right").value = number(left - from.left);
    input(part, "down").value = number(top - from.top);
    return;
  }
  const [document_, page] = sheet.dataset.sheet.split(".");
  input(part, "document").value = document_;
  input(part, "page").value = page;
  input(part, "left").value = number(left);
  input(part, "top").value = number(top);
}

/** Changes the size of a field. */
export function resize(part, { width, height }) {
  input(part, "width").value = number(width);
  input(part, "height").value = number(height);
}

/** A place as near as possible on its page. */
export function within({ sheet, left, top, width, height }) {
  const page = sizeOf(sheet);
  const near = (n, most) => Math.max(0, Math.min(n, most));
  return { sheet, left: near(left, page.width - width), top: near(top, page.height - height), width, height };
}

/** A place in whole points, where they are on the page. */
export const whole = (at) => within({ ...at, left: Math.round(at.left), top: Math.round(at.top) });
