// The pages of documents in a package's page: larger and smaller without loading anything,
// the text of a page where it is asked for, and a word instead of a picture that cannot be
// shown. Without this script the buttons load the page again and the text is a link.

import { eachGap } from "./gaps.js";
import { unfold } from "./words.js";

const column = 46; // rem, on a large screen
const language = document.documentElement.lang;
const percent = new Intl.NumberFormat(language, { style: "percent" });
let zoom = null;

addEventListener("submit", (event) => {
  const form = event.target.closest(".zoom");
  if (form && event.submitter) {
    event.preventDefault();
    zoom = Number(event.submitter.value);
    draw();
  }
});
addEventListener("error", (event) => event.target.matches?.(".picture img") && replace(event.target), true);
document.addEventListener("renewed", begin);
begin();

function begin() {
  const notice = new URL(location.href);
  if (notice.searchParams.has("notice")) { // it is said once
    notice.searchParams.delete("notice");
    history.replaceState(history.state, "", notice);
  }
  for (const link of document.querySelectorAll("a.words")) {
    unfold(link);
  }
  for (const picture of document.querySelectorAll(".picture img")) {
    if (picture.complete && picture.currentSrc && !picture.naturalWidth) {
      replace(picture);
    }
  }
  eachGap(tell);
  if (zoom) {
    draw();
  }
}

// Says beside a page that characters are missing in its picture.
function tell(path) {
  for (const picture of document.querySelectorAll(".picture img")) {
    const sheet = picture.closest(".sheet");
    if (new URL(picture.src).pathname === path && !sheet.querySelector(".incomplete")) {
      const words = picture.closest(".sheets").querySelector(".gap").content;
      picture.closest(".picture").after(document.importNode(words, true));
    }
  }
}

// Shows the pages as wide as the buttons say, with what was in the middle still there.
function draw() {
  const part = document.querySelector(".documents");
  const steps = part.dataset.zooms.split(" ").map(Number);
  const seen = [...part.querySelectorAll(".sheet")].find((sheet) => sheet.getBoundingClientRect().bottom > 0);
  const top = seen?.getBoundingClientRect().top;
  part.dataset.zoom = zoom;
  for (const picture of part.querySelectorAll(".picture img")) {
    picture.sizes = `(min-width: 60rem) ${(column * zoom) / 100}rem, ${zoom}vw`;
  }
  const at = steps.indexOf(zoom);
  part.querySelectorAll(".zoom button").forEach((button, i) => {
    button.value = steps[Math.min(Math.max(at + (i ? 1 : -1), 0), steps.length - 1)];
    button.toggleAttribute("aria-disabled", false);
    if (Number(button.value) === zoom) {
      button.setAttribute("aria-disabled", "true");
    }
  });
  part.querySelector(".zoom [role=status]").textContent = percent.format(zoom / 100);
  if (seen && top < 0) { // the reader is further down
    scrollBy({ top: seen.getBoundingClientRect().top - top, behavior: "instant" });
  }
}

function replace(picture) {
  const words = picture.closest(".sheets").querySelector("template").content;
  picture.closest(".picture").replaceWith(document.importNode(words, true));
}
