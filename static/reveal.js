// The password can be read while it is typed, and is sent as a password: browsers
// remember what was typed into a field of text.

const box = document.getElementById("reveal");
const field = document.getElementById("password");

function show(shown) {
  box.checked = shown;
  field.type = shown ? "text" : "password";
}

box.addEventListener("change", () => show(box.checked));
field.form.addEventListener("submit", () => show(false));
addEventListener("pageshow", () => show(false)); // browsers bring back what was ticked
