// The outline of the pages: a field that stands there by coordinates moves by arrow keys
// and by the pointer, and its numbers move with it; typed numbers move the field.

const far = 10; // by how much an arrow moves with Shift

/** Lets the fields of the form's outline be moved. */
export function outline(form) {
  for (const spot of form.querySelectorAll(".spot")) {
    const input = (name) => form.elements[`${spot.dataset.field}.${name}`];
    spot.addEventListener("click", () => input("recipient").focus());
    if ("found" in spot.dataset) {
      continue;
    }
    spot.addEventListener("keydown", (event) => pressed(event, spot, input));
    spot.addEventListener("pointerdown", (event) => dragged(event, spot, input));
    for (const name of ["left", "top", "width", "height"]) {
      input(name).addEventListener("input", () => place(spot, input));
    }
    place(spot, input);
  }
}

const number = (input, otherwise) => {
  const value = Number.parseFloat(input.value);
  return Number.isFinite(value) && value >= 0 ? value : otherwise;
};

function place(spot, input) {
  const box = spot.querySelector("rect");
  spot.setAttribute("transform", `translate(${number(input("left"), 0)} ${number(input("top"), 0)})`);
  box.setAttribute("width", number(input("width"), box.getAttribute("width")));
  box.setAttribute("height", number(input("height"), box.getAttribute("height")));
}

function move(spot, input, left, top) {
  const sheet = spot.ownerSVGElement.viewBox.baseVal;
  const box = spot.querySelector("rect");
  const within = (n, most) => Math.round(Math.max(0, Math.min(n, most)));
  input("left").value = within(left, sheet.width - box.getAttribute("width"));
  input("top").value = within(top, sheet.height - box.getAttribute("height"));
  place(spot, input);
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
  move(spot, input, number(input("left"), 0) + x * by, number(input("top"), 0) + y * by);
}

function dragged(event, spot, input) {
  const sheet = spot.ownerSVGElement;
  const scale = sheet.viewBox.baseVal.width / sheet.getBoundingClientRect().width;
  const from = { x: event.clientX, y: event.clientY, left: number(input("left"), 0), top: number(input("top"), 0) };
  const on = ({ clientX, clientY }) => move(spot, input, from.left + (clientX - from.x) * scale, from.top + (clientY - from.y) * scale);
  spot.setPointerCapture(event.pointerId);
  spot.addEventListener("pointermove", on);
  spot.addEventListener("lostpointercapture", () => spot.removeEventListener("pointermove", on), { once: true });
}
