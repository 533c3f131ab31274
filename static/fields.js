// The fields of the form. Their inputs are the truth: a field is a group of inputs, its
// part, and everything else is drawn from them. Parts are added, as copies of the page's
// blank one, filled in and removed here. A part's heading follows its label, and what its
// kind brought follows a changed kind until somebody touches it: the label, and the size.

const form = () => document.getElementById("compose");
const kinds = () => document.getElementById("kinds").content;

/** What a kind of that name brings: the word of its label, its size in points, and whether it may stand on every page. */
export function kindOf(name) {
  const kind = kinds().querySelector(`[value="${name}"]`);
  return { word: kind.textContent, width: Number(kind.dataset.width), height: Number(kind.dataset.height), everywhere: "everywhere" in kind.dataset };
}

/** The number that was typed, if it is one. */
export const typed = ({ value }) => (value.trim() === "" ? NaN : Number(value.normalize("NFKC")));

/** A number as it is typed. */
export const number = (n) => String(Math.round(n * 1000) / 1000);

/** All parts, in their order. */
export const parts = () => [...document.querySelectorAll(".settings > .composed")];

/** The part with that key. */
export const partOf = (key) => document.querySelector(`.settings > [data-field="${CSS.escape(key)}"]`);

/** The input of a part; undefined if the part has none of that name. */
export const input = (part, name) => form().elements[`${part.dataset.field}.${name}`];

const named = (part) => [...part.elements].filter((e) => e.name && e.type !== "submit");
const nameIn = (part, e) => e.name.slice(part.dataset.field.length + 1);

/** What the inputs of a part hold, by their names. */
export function values(part) {
  const all = {};
  for (const e of named(part)) {
    if (e.type === "checkbox") {
      all[nameIn(part, e)] = e.checked;
    } else if (e.type !== "radio" || e.checked) {
      all[nameIn(part, e)] = e.value;
    }
  }
  return all;
}

/** Fills the inputs of a part. */
export function fill(part, all) {
  for (const e of named(part)) {
    const value = all[nameIn(part, e)];
    if (value === undefined) {
      continue;
    }
    if (e.type === "checkbox") {
      e.checked = value;
    } else if (e.type === "radio") {
      e.checked = e.value === value;
    } else {
      e.value = value;
    }
  }
  title(part);
}

const blank = /\bf0\b/g;

/** Adds a part under a key: a copy of the page's blank one. */
export function add(key, all = {}) {
  const part = document.importNode(document.getElementById("new-field").content, true).querySelector(".composed");
  for (const e of [part, ...part.querySelectorAll("*")]) {
    for (const name of ["id", "name", "for", "value", "aria-describedby", "data-field"]) {
      if (e.hasAttribute(name)) {
        e.setAttribute(name, e.getAttribute(name).replace(blank, key));
      }
    }
  }
  for (const select of part.querySelectorAll('[name$=".recipient"]')) {
    select.replaceChildren(select.firstElementChild, ...[...document.getElementById("palette-recipient").options].map((o) => new Option(o.textContent, o.value)));
  }
  document.querySelector(".settings").append(part);
  fill(part, all);
  return part;
}

/** Removes a part. */
export const remove = (part) => part.remove();

let last = 0;

/** A key that no other page uses. */
export function newKey() {
  last = Math.max(last + 1, Date.now());
  return `f${last}`;
}

/** Makes the form have the parts that kept values, by the names of inputs, belong to. */
export function renewFields(kept) {
  for (const key of (kept.get("removed") ?? "").split(" ").filter(Boolean)) {
    partOf(key)?.remove();
  }
  for (const name of document.getElementById("new-field") ? kept.keys() : []) {
    const [key, rest] = name.split(".");
    if (rest === "kind" && /^f\d{13,}$/.test(key) && !partOf(key)) {
      add(key);
    }
  }
}

/** Lets what a changed kind of a part brings follow. */
export function follow(part) {
  const before = kindOf(part.dataset.kind);
  const now = kindOf(input(part, "kind").value);
  const [width, height, label] = ["width", "height", "label"].map((name) => input(part, name));
  if (width && typed(width) === before.width && typed(height) === before.height) {
    width.value = now.width;
    height.value = now.height;
  }
  if (label?.readOnly || label?.value.startsWith(`${before.word} `) && /^\d+$/.test(label.value.slice(before.word.length + 1))) {
    label.value = unused(now.word);
  }
}

/** The word and the first number with which no field is called so. */
export function unused(word, from = 1) {
  const labels = [...document.querySelectorAll('.settings [name$=".label"]')].map((label) => label.value.trim());
  const taken = new Set(labels.concat([...document.querySelectorAll(".settings > .composed > legend")].map((legend) => legend.textContent)));
  let n = from;
  while (taken.has(`${word} ${n}`)) {
    n += 1;
  }
  return `${word} ${n}`;
}

/** Calls a part as its label says, or as the account calls its custom field. */
export function title(part) {
  const label = input(part, "label");
  part.dataset.kind = input(part, "kind").value; // as it is before it changes
  if (!label) {
    return; // the PDF says what it is called
  }
  const kind = input(part, "kind");
  const { value: custom, selectedOptions } = input(part, "custom");
  label.readOnly = kind.value === "custom"; // the account says what it is called
  if (label.readOnly) {
    label.value = custom ? selectedOptions[0].textContent : kind.selectedOptions[0].textContent;
  }
  part.querySelector("legend").textContent = label.value.trim() || kind.selectedOptions[0].textContent;
}
