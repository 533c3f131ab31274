// Moments in the time of the reader's device, as its language and region write
// them; exact ones to the second, with their time zone; some short, and
// in a timeline without the day that the moment before them has told; days without their time,
// which is their title. Without this script they are there in UTC.

const language = document.documentElement.lang;
const region = navigator.languages.find((tag) => tag.split("-")[0] === language) ?? language;
const words = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(region, { dateStyle: "long", timeStyle: "long" });
const brief = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat(region, { dateStyle: "medium" });
const clock = new Intl.DateTimeFormat(region, { timeStyle: "short" });

function formOf({ dataset, dateTime }) {
  if ("exact" in dataset) {
    return exact;
  }
  if ("date" in dataset) {
    return date;
  }
  if (dataset.after && new Date(dataset.after).toDateString() === new Date(dateTime).toDateString()) {
    return clock;
  }
  return "after" in dataset || "brief" in dataset ? brief : words;
}

const shortDay = { month: "short", day: "numeric" };
const near = new Intl.RelativeTimeFormat(region, { numeric: "auto" });
const count = (at) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000;

// A day in few letters: without the year if it is this year's, by its name if something is
// due today or tomorrow.
function day(at, isDue) {
  const now = new Date();
  const ahead = count(at) - count(now);
  if (isDue && (ahead === 0 || ahead === 1)) {
    return near.format(ahead, "day");
  }
  return at.toLocaleDateString(region, at.getFullYear() === now.getFullYear() ? shortDay : { ...shortDay, year: "numeric" });
}

/** Writes the moments in root as the reader does. */
export function localize(root) {
  for (const moment of root.querySelectorAll("time[datetime]")) {
    const at = new Date(moment.dateTime);
    const whole = formOf(moment).format(at);
    const isDay = "day" in moment.dataset;
    if (isDay || "date" in moment.dataset) {
      moment.title = words.format(at);
    }
    moment.textContent = isDay ? day(at, moment.dataset.day === "due") : whole;
  }
}

localize(document);
