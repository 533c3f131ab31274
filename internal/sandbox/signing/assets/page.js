// The conditions: values of fields decide which others are disabled or required.
const form = document.querySelector("form[data-rules]");
if (form) {
  const rules = JSON.parse(form.dataset.rules);
  const controls = (id) => [...form.elements].filter((one) =>
    one.name === "value." + id || one.type === "radio" && one.value === id);
  const value = (id) => controls(id).map((one) => one.type === "radio" || one.type === "checkbox"
    ? (one.checked ? "X" : "") : form.elements["drawn." + id]?.value || one.value).join("");
  const holds = (rule) => rule.any.some((all) => all.every((test) => (value(test.field) === test.value) === test.equal));
  const make = (rule, on) => {
    for (const control of controls(rule.field)) {
      control[rule.property] = on;
      const field = control.closest(".field");
      if (rule.property === "required") control.closest("label, .field").querySelector(".required").hidden = !on;
      else field.querySelector(".drawing")?.toggleAttribute("inert", on);
    }
  };
  const apply = () => {
    const holding = rules.filter(holds);
    for (const rule of rules) make(rule, !rule.value);
    for (const rule of holding) make(rule, rule.value);
  };
  form.addEventListener("input", apply);
  apply();
}

// The drawing areas: strokes of points between 0 and 1 go into the hidden input.
for (const canvas of document.querySelectorAll("canvas[data-for]")) {
  const input = document.getElementById(canvas.dataset.for);
  const context = canvas.getContext("2d");
  let strokes = input.value ? JSON.parse(input.value) : [];
  let stroke = null;

  const draw = () => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineWidth = 3;
    context.lineCap = context.lineJoin = "round";
    for (const points of strokes) {
      context.beginPath();
      for (const [x, y] of points) context.lineTo(x * canvas.width, y * canvas.height);
      context.stroke();
    }
    input.value = strokes.length ? JSON.stringify(strokes) : "";
    input.dispatchEvent(new Event("input", {bubbles: true}));
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect();
    const round = (n) => Math.min(1, Math.max(0, Math.round(n * 1e4) / 1e4));
    return [round((event.clientX - box.left) / box.width), round((event.clientY - box.top) / box.height)];
  };
  canvas.addEventListener("pointerdown", (event) => {
    stroke = [point(event)];
    strokes.push(stroke);
    canvas.setPointerCapture(event.pointerId);
    draw();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!stroke) return;
    stroke.push(point(event));
    draw();
  });
  canvas.addEventListener("pointerup", () => { stroke = null; });
  document.querySelector(`[data-clear="${canvas.dataset.for}"]`).addEventListener("click", () => {
    strokes = [];
    draw();
  });
  draw();
  canvas.parentElement.hidden = false;
}

// A field on a page leads to its input.
for (const place of document.querySelectorAll("svg [data-for]")) {
  place.addEventListener("click", () => {
    const input = document.getElementById(place.dataset.for);
    input?.closest(".field").scrollIntoView({block: "center"});
    input?.focus({preventScroll: true});
  });
}
