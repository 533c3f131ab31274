// A list whose packages are chosen: the button says how many, and the open tab is in sight.

const chosen = document.getElementById("selection");

function count() {
  const button = chosen.querySelector("button");
  const number = [...chosen.elements].filter((e) => e.checked).length;
  button.dataset.none ??= button.textContent;
  button.textContent = number ? button.dataset.some.replace("{count}", number.toLocaleString(document.documentElement.lang)) : button.dataset.none;
  button.classList.toggle("danger", number > 0);
  button.setAttribute("aria-disabled", number === 0);
}

if (chosen) {
  count();
  addEventListener("change", count);
  addEventListener("pageshow", count);
  chosen.addEventListener("submit", (event) => chosen.querySelector("[aria-disabled=true]") && event.preventDefault());
}

const open = document.querySelector(".list-tabs [aria-current]");
const bar = open?.parentElement;
if (bar) {
  new ResizeObserver(() => { // when the page opens, and when a phone is turned
    bar.scrollLeft += open.getBoundingClientRect().left - bar.getBoundingClientRect().left - (bar.clientWidth - open.clientWidth) / 2;
  }).observe(bar);
}
