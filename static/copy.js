// Copies the link to pass on; where that is not allowed, selects it. The link goes away
// with what it is for.

const handed = document.getElementById("handed");
const link = document.getElementById("link");
const copy = document.getElementById("copy");
const copied = document.getElementById("copied");

copy.hidden = false;
copy.addEventListener("click", async () => {
  copied.textContent = "";
  try {
    await navigator.clipboard.writeText(link.value);
    copied.textContent = copy.dataset.copied;
  } catch {
    link.focus();
    link.select();
    copied.textContent = copy.dataset.selected;
  }
});

new MutationObserver((changes, observer) => {
  if (!("active" in document.getElementById("live").dataset)) {
    observer.disconnect();
    handed.remove();
  }
  document.getElementById("pass-on")?.remove(); // the link is here already
}).observe(document.getElementById("main"), { childList: true });
