// The outline of the pages: a field that stands there by coordinates moves by arrow keys
// and by the pointer, and its numbers move with it; what is typed and chosen moves, sizes
// and names the field.

import { kindOf, typed } from "./fields.js";

const far = 10; // by how much an arrow moves with Shift

/** Lets the fields of the form's outline be moved. */
export function outline(form) {
  for (const spot of form.querySelectorAll(".spot")) {
    const input = inputOf(form, spot);
    spot.addEventListener("click", () => input("recipient").focus());
    input("kind").closest(".composed").addEventListener("input", () => show(form, spot));
    show(form, spot);
    if ("found" in spot.dataset) {
      continue;
    }
    spot.addEventListener("keydown", (event) => pressed(event, spot, input));
    spot.addEventListener("pointerdown", (event) => dragged(event, spot, input));
  }
}

/** Calls the fields on the outline as everything that they are named after is called now. */
export function nameFields(form) {
  form.querySelectorAll(".spot").forEach((spot) => name(form, spot));
}

const inputOf = (form, spot) => (member) => form.elements[`${spot.dataset.field}.${member}`];

function show(form, spot) {
  if (!("found" in spot.dataset)) {
    place(form, spot, inputOf(form, spot));
  }
  name(form, spot);
}

// A field that stands by a text, or on a page that is not shown, is not there.
function place(form, spot, input) {
  const here = spot.ownerSVGElement;
  const document = input("document")?.value ?? here.dataset.sheet.split(".")[0];
  const sheet = form.querySelector(`[data-sheet="${document}.${typed(input("page"))}"]`);
  if (sheet && sheet !== here) {
    sheet.append(spot);
  }
  spot.toggleAttribute("hidden", !sheet || input("anchor").value.trim() !== "");
  spot.setAttribute("transform", `translate(${at(input("left"))} ${at(input("top"))})`);
  const kind = kindOf(input("kind").value);
  for (const side of ["width", "height"]) {
    const size = typed(input(side));
    spot.querySelector("rect").setAttribute(side, size > 0 ? size : kind[side]);
  }
}

const at = (input) => Math.max(0, typed(input) || 0);

function name(form, spot) {
  const input = inputOf(form, spot);
  const called = input("kind").closest(".composed").querySelector("legend").textContent;
  const parts = {
    name: called,
    kind: input("kind").selectedOptions[0].textContent,
    recipient: input("recipient").selectedOptions[0].textContent,
    page: spot.ownerSVGElement.dataset.page,
  };
  spot.setAttribute("aria-label", form.dataset.spot.replace(/\{(\w+)\}/g, (_, part) => parts[part]));
  fit(spot, [...called]);
}

// As much of the name as fits.
function fit(spot, letters) {
  const text = spot.querySelector("text");
  const room = spot.querySelector("rect").getAttribute("width") - 8;
  text.textContent = letters.join("");
  for (let n = letters.length - 1; n >= 0 && text.getComputedTextLength() > room; n -= 1) {
    text.textContent = n > 0 ? `${letters.slice(0, n).join("")}…` : "";
  }
}

function move(spot, input, left, top) {
  const sheet = spot.ownerSVGElement.viewBox.baseVal;
  const box = spot.querySelector("rect");
  const within = (n, most) => Math.round(Math.max(0, Math.min(n, most)));
  input("left").value = within(left, sheet.width - box.getAttribute("width"));
  input("top").value = within(top, sheet.height - box.getAttribute("height"));
  input("left").dispatchEvent(new Event("input", { bubbles: true }));
}

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function pressed(event, spot, input) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    input("recipient").focus();
    return;
  }
  const [x, y] = arrows[event.key] ?? [0, 0];
  if (!x && !y) {
    return;
  }
  event.preventDefault();
  const by = event.shiftKey ? far : 1;
  move(spot, input, at(input("left")) + x * by, at(input("top")) + y * by);
}

function dragged(event, spot, input) {
  const sheet = spot.ownerSVGElement;
  const scale = sheet.viewBox.baseVal.width / sheet.getBoundingClientRect().width;
  const from = { x: event.clientX, y: event.clientY, left: at(input("left")), top: at(input("top")) };
  const on = ({ clientX, clientY }) => move(spot, input, from.left + (clientX - from.x) * scale, from.top + (clientY - from.y) * scale);
  spot.setPointerCapture(event.pointerId);
  spot.addEventListener("pointermove", on);
  spot.addEventListener("lostpointercapture", () => spot.removeEventListener("pointermove", on), { once: true });
}
