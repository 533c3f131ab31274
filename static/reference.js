// The API reference: narrows the page to what is searched for, opens what a link leads to, and
// copies commands.

const search = document.getElementById("search");
const found = document.getElementById("found");
const entries = [...document.querySelectorAll("details[data-find]")];
const cards = [...document.querySelectorAll("main > :is(section, .about)")];
const copied = document.getElementById("copied");

function narrow() {
  const words = search.q.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const entry of entries) {
    const text = entry.dataset.find.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
    count += !entry.hidden;
  }
  for (const card of cards) {
    card.hidden = words.length > 0 && !card.querySelector("details[data-find]:not([hidden])");
  }
  found.textContent = words.length ? found.dataset.found.replace("{count}", count) : "";
}

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) {
    search.q.value = "";
    narrow();
  }
  const entry = target.closest("details");
  if (entry) entry.open = true;
  target.scrollIntoView();
}

async function copy(button) {
  copied.textContent = "";
  const text = button.parentElement.querySelector("pre");
  try {
    await navigator.clipboard.writeText(text.textContent);
    copied.textContent = copied.dataset.copied;
    button.textContent = copied.dataset.copied;
  } catch {
    getSelection().selectAllChildren(text);
  }
}

search.q.addEventListener("input", narrow);
search.addEventListener("submit", (event) => {
  event.preventDefault();
  narrow();
});
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
addEventListener("hashchange", open);
narrow();
open();
