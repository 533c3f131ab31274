// The palette: for whom, and of which kind, a field is that a click on a page puts there.
// It is one field for one click.

import { add, kindOf, newKey, parts, unused } from "./fields.js";
import { paperOf, placeOf, sizeOf, whole } from "./places.js";
import { colourOf, numberOf } from "./spots.js";

let root, kind;

const buttons = () => [...root.querySelectorAll(".kind-button")];
const recipient = () => document.getElementById("palette-recipient");

/** Begins with no kind chosen. */
export function beginPalette(editor) {
  root = editor;
  pick(null);
  for (const button of buttons()) {
    button.addEventListener("click", () => pick(button.dataset.kind === kind ? null : button.dataset.kind));
  }
  recipient().addEventListener("input", paint);
  paint();
}

/** The kind that is chosen, or null. */
export const picked = () => kind;

/** Chooses a kind, or with null none. */
export function pick(name) {
  kind = name;
  root.classList.toggle("placing", Boolean(kind));
  buttons().forEach((button) => button.setAttribute("aria-pressed", button.dataset.kind === kind));
}

// Shows the recipient's number and colour.
function paint() {
  const who = numberOf(recipient().value);
  const badge = root.querySelector(".who-select .who");
  badge.textContent = who || "?";
  badge.parentElement.dataset.who = colourOf(who);
}

/** Adds a field of the chosen kind, or of the first one, with its middle at a point of a page. */
export function addAt(sheet, { left, top }) {
  const name = kind ?? buttons()[0].dataset.kind;
  const { word, ...size } = kindOf(name);
  const most = sizeOf(sheet);
  const [width, height] = [Math.min(size.width, most.width), Math.min(size.height, most.height)];
  pick(null);
  const at = whole({ sheet, left: left - width / 2, top: top - height / 2, width, height });
  const [document_, page] = sheet.dataset.sheet.split(".");
  const label = unused(word);
  return add(newKey(), { kind: name, label, recipient: recipient().value, document: document_, page, left: String(at.left), top: String(at.top), width: String(width), height: String(height) });
}

/** Adds a field in the middle of a page, below fields that stand there already. */
export function addInTheMiddle(sheet) {
  const page = sizeOf(sheet);
  const { height } = kindOf(kind ?? buttons()[0].dataset.kind);
  const middle = { left: page.width / 2, top: page.height / 2 };
  const taken = parts().map(placeOf).filter((at) => at && paperOf(at.sheet) === paperOf(sheet));
  const free = (top) => !taken.some((at) => Math.abs(at.left + at.width / 2 - middle.left) < 4 && Math.abs(at.top + at.height / 2 - top) < height);
  let top = middle.top;
  while (!free(top) && top < page.height - height) {
    top += height + 10;
  }
  return addAt(sheet, { left: middle.left, top });
}
