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
