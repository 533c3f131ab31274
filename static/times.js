// Moments in the time of the reader's device, as its language and region write
// them. Without this script they are there in UTC.

const language = document.documentElement.lang;
const region = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
const words = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "short" });

/** Writes the moments in root as the reader does. */
export function localize(root) {
  for (const moment of root.querySelectorAll("time[datetime]")) {
    moment.textContent = words.format(new Date(moment.dateTime));
  }
}

localize(document);
