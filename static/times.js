// Moments in the time of the reader's device, as its language and region write
// them; exact ones to the second, with their time zone. Without this script they are
// there in UTC.

const language = document.documentElement.lang;
const region = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
const words = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "long" });

/** Writes the moments in root as the reader does. */
export function localize(root) {
  for (const moment of root.querySelectorAll("time[datetime]")) {
    moment.textContent = ("exact" in moment.dataset ? exact : words).format(new Date(moment.dateTime));
  }
}

localize(document);
