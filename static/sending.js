// How a package is sent. The message follows the name and the language until somebody edits
// it, the sentence above Send follows the recipients, the due day is one of this browser's
// time zone, and an address with a name in front of it fills in the names.

import { localize } from "./times.js";

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone?.replace("Etc/Unknown", "") ?? "";

/** Lets the part about sending, and the recipients, of the form follow what is typed. */
export function sending(form) {
  const { message, name, language } = form.elements;
  const usual = () => sentence(name.value.trim(), language.value);
  let follows = message.value === usual();
  form.addEventListener("input", ({ target }) => {
    if (target === message) {
      follows = message.value === usual();
    } else if (follows && (target === name || target === language)) {
      message.value = usual();
    }
    if (/^r\d+\.email$/.test(target.name)) {
      split(form, target);
    }
    invited(form);
  });
  invited(form);
}

function sentence(name, language) {
  const asks = document.getElementById("asks");
  const one = asks.content.querySelector(`[value="${CSS.escape(language)}"]`) ?? asks.content.firstElementChild;
  return one.textContent.replace("{package}", () => name || asks.dataset.file || one.dataset.untitled);
}

/** Shows the last day as one of this browser's time zone; call it before what is kept is filled in. */
export function inZone(form) {
  const hint = document.getElementById("due-hint");
  const { due, due_shown: shown, due_at: at } = form.elements;
  localize(form);
  if (!zone()) {
    return;
  }
  form.addEventListener("formdata", ({ formData }) => formData.set("due_end", endOf(due.value)));
  form.elements.zone.value = zone();
  hint.textContent = hint.dataset.zoned.replace("{zone}", () => zone().replaceAll("_", " "));
  if (at.value && due.value === shown.value) {
    const day = new Date(at.value);
    shown.value = [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
    due.value = shown.value;
  }
}

// The end of a day on this device, for a server that does not know its time zone; "" for no day.
function endOf(day) {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? "" : end.toISOString();
}

// "Tom Tenant <tom@example.com>" or "Tenant, Tom <tom@example.com>".
function split(form, input) {
  const found = /^\s*["']?([^<>"]*?)["']?\s*<\s*([^<>\s]+@[^<>\s]+)\s*>[\s,;]*$/.exec(input.value.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, ""));
  if (!found) {
    return;
  }
  const name = found[1].replace(/\s+/g, " ").trim();
  const turned = /^([^,]*),(.*)$/.exec(name);
  const [, first, last] = turned ? ["", turned[2].trim(), turned[1].trim()] : /^(.*?)(?: (\S+))?$/.exec(name);
  const key = input.name.split(".")[0];
  input.value = found[2];
  for (const [member, value] of [["first_name", first], ["last_name", last ?? ""]]) {
    if (value) {
      form.elements[`${key}.${member}`].value = value;
    }
  }
}

// A name leaves the direction of the sentence around it as it is.
export const isolated = (name) => `\u2068${name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;

function isolate(text) {
  const made = document.createElement("bdi");
  made.textContent = text;
  made.translate = false;
  return made;
}

// What recipients are called: by the first name, or the whole one where several share it.
function names(form) {
  const all = [...form.querySelectorAll('[name$=".email"]')].map(({ name }) => {
    const value = (member) => form.elements[`${name.split(".")[0]}.${member}`].value.trim();
    return { first: value("first_name"), last: value("last_name") };
  });
  const number = document.getElementById("invited").dataset.number;
  return all.map(({ first, last }, i) => {
    if (!first) {
      return fill(number, { number: i + 1 });
    }
    return isolated(all.filter((one) => one.first === first).length > 1 ? `${first} ${last}`.trim() : first);
  });
}

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function invited(form) {
  const shown = document.getElementById("invited");
  const { alone, many, later, end, and, list } = shown.dataset;
  const all = names(form);
  shown.hidden = [...form.querySelectorAll('[name$=".first_name"]')].every((input) => input.value.trim() === "");
  let said;
  if (form.elements.in_order.checked) {
    said = all.slice(1).reduce((sentence, name, i) => fill(later, { sentence, name, previous: all[i] }), fill(alone, { names: all[0] }));
  } else if (all.length === 1) {
    said = fill(alone, { names: all[0] });
  } else {
    const before = all.slice(1, -1).reduce((first, second) => fill(list, { first, second }), all[0]);
    said = fill(many, { names: fill(and, { first: before, second: all.at(-1) }) });
  }
  shown.replaceChildren(...fill(end, { sentence: said }).split(/\u2068(.*?)\u2069/).map((part, i) => (i % 2 ? isolate(part) : part)));
}
