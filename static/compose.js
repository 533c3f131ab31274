// The page on which a package is prepared. What is typed stays in this tab until the
// server has it, over a reload and a sign-in; files are sent as soon as they are chosen.
// Without this script the form does all of it by itself.

import { editor, leaveEditor, nameFields } from "./editor.js";
import { renewFields } from "./fields.js";
import { inZone, isolated, sending } from "./sending.js";
import { drop, keep, lasts, recall, recallValue } from "./storage.js";

const sentKey = "compose sent";
const changesKey = "compose changes";
let form, ticket, upload, waiting;

function begin(later = new Map()) {
  form = document.getElementById("compose");
  upload = null;
  waiting = null;
  ticket = form.elements.ticket;
  keptHere(lasts());
  form.autocomplete = "off"; // the browser puts nothing older over it when one goes back
  inZone(form);
  restore();
  fill(later);
  editor(changes());
  sending(form); // before what is typed is kept
  form.addEventListener("input", typed);
  if (form.elements.recipients && form.dataset.revision !== "0") {
    typed({ target: form.elements.name });
  }
  form.addEventListener("change", ({ target }) => target.id === "files" && target.files.length > 0 && send());
  form.addEventListener("submit", submitting);
  form.addEventListener("keyup", reached);
  document.getElementById("cancel").addEventListener("click", () => upload?.abort());
  const area = form.querySelector(".drop");
  area.addEventListener("dragover", (event) => {
    event.preventDefault();
    area.classList.add("hanging");
  });
  area.addEventListener("dragleave", ({ relatedTarget }) => area.contains(relatedTarget) || area.classList.remove("hanging"));
  area.addEventListener("drop", (event) => {
    area.classList.remove("hanging");
    dropped(event);
  });
}

// A browser shows the caret of a text area that the keyboard reaches, and not all of it.
function reached({ key, target }) {
  if (key === "Tab" && target.localName === "textarea") {
    target.scrollIntoView({ block: "nearest" });
  }
}

const key = () => `compose ${form.getAttribute("action")}`;
const valueOf = (input) => (input.type === "checkbox" ? input.checked : input.value);
// What the page showed as asked is kept beside what the person chose.
const left = (e) => ["file", "submit"].includes(e.type) || (e.type === "hidden" && !e.name.endsWith(".asked")) || (e.type === "radio" && !e.checked);
const inputs = () => [...form.elements].filter((e) => e.name && !e.disabled && !left(e));

// What the page was shown with: its parts, and which of the form's states it is.
const shownWith = ["recipients", "shown", "revision"];

function typed({ target }) {
  rename(target.name);
  if (/^r\d+\./.test(target.name)) {
    nameFields();
  }
  const values = inputs().map((e) => [e.name, valueOf(e)]);
  const { person, revision } = form.dataset;
  const page = shownWith.map((name) => [name, form.elements[name]?.value]).filter(([, value]) => value !== undefined);
  keptHere(keep(key(), JSON.stringify({ person, revision, once: form.elements.once.value, page, values })));
}

// What is typed is kept here. Where the tab keeps nothing for its next page, the server keeps
// what is sent in vain.
function keptHere(yes) {
  if (yes) {
    ticket.remove();
  } else {
    form.append(ticket);
  }
}

// What the server has by now is not put over what it says; what it does not have, though
// another page has changed the draft, it shows beside that.
function restore() {
  const sent = recall(sentKey);
  drop(sentKey);
  if (sent && sent !== key()) {
    drop(sent);
  }
  const kept = recallValue(key());
  const { revision, person, storedBy } = form.dataset;
  const lacks = form.elements.recipients ? Number(kept?.revision) > Number(revision) : kept?.revision !== revision && kept?.once !== storedBy;
  if (kept?.person === person && lacks) {
    recover(kept);
    return;
  }
  if (kept?.person !== form.dataset.person || kept.revision !== form.dataset.revision) {
    drop(key());
    return;
  }
  keep(key(), JSON.stringify({ ...kept, once: form.elements.once.value })); // which is to bring it
  fill(new Map(kept.values));
}

// The changes of fields can be undone on the next page of the draft too.
function keepChanges() {
  const kept = leaveEditor();
  if (kept) {
    const { person } = form.dataset;
    const maps = (_, value) => (value instanceof Map ? [...value] : value);
    keep(changesKey, JSON.stringify({ key: key(), person, ...kept }, maps));
  }
}

function changes() {
  const kept = recallValue(changesKey);
  drop(changesKey);
  if (kept?.key !== key() || kept.person !== form.dataset.person) {
    return null;
  }
  return { past: kept.past.map((one) => new Map(one)), future: kept.future.map((one) => new Map(one)), now: new Map(kept.now) };
}

// A page without a draft that is loaded again has no recipients but the first, and one of a
// draft has those of the other page.
function recover(kept) {
  const data = new FormData(form);
  [...data.keys()].filter((name) => /^[fr]\d+\./.test(name)).forEach((name) => data.delete(name));
  for (const [name, value] of [...kept.values, ...kept.page, ["do", "keep"]]) {
    if (value === false) {
      data.delete(name);
    } else {
      data.set(name, value === true ? "yes" : value);
    }
  }
  const request = new XMLHttpRequest();
  request.open("POST", form.getAttribute("action"));
  request.setRequestHeader("Accept", "text/html");
  request.responseType = "document";
  request.addEventListener("load", () => {
    if (request.response?.getElementById("compose")) {
      drop(key());
      renew(request.response, new Map(kept.values));
      typed({ target: form.elements.name });
      document.getElementById("problem").focus();
    }
  });
  request.send(data);
}

// What the server made of the form takes its place.
function renew(page, later) {
  keepChanges();
  document.title = page.title;
  document.getElementById("main").replaceChildren(...document.importNode(page.getElementById("main"), true).childNodes);
  history.replaceState(null, "", page.getElementById("compose").getAttribute("action"));
  begin(later);
}

function fill(values) {
  renewFields(values);
  for (const input of [...form.elements].filter((e) => values.has(e.name))) {
    const value = values.get(input.name);
    if (input.type === "checkbox") {
      input.checked = value;
    } else if (input.type === "radio") {
      input.checked = input.value === value;
    } else {
      input.value = value;
    }
    rename(input.name);
  }
}

// A recipient is called in the lists as they are by now.
function rename(name) {
  const part = name.split(".")[0];
  const names = ["first_name", "last_name"].map((member) => form.elements[`${part}.${member}`]?.value.trim() ?? "");
  const called = names.filter(Boolean).join(" ") || form.elements[`${part}.email`]?.value.trim();
  for (const option of called ? form.querySelectorAll(`option[value="${part}"]`) : []) {
    option.textContent = called;
  }
}

// While files are on their way, a button waits for them.
function submitting(event) {
  if (upload) {
    event.preventDefault();
    waiting = event.submitter?.value;
    return;
  }
  keep(sentKey, key());
}

function dropped(event) {
  event.preventDefault();
  const files = document.getElementById("files");
  files.files = event.dataTransfer.files;
  files.dispatchEvent(new Event("change", { bubbles: true }));
}

function send() {
  const data = new FormData(form);
  data.set("do", "add-files");
  upload = new XMLHttpRequest();
  upload.sent = new Map(inputs().map((e) => [e.name, valueOf(e)]));
  upload.open("POST", form.getAttribute("action"));
  upload.setRequestHeader("Accept", "text/html");
  upload.responseType = "document";
  const bar = document.getElementById("progress");
  const names = [...document.getElementById("files").files].map((file) => isolated(file.name));
  document.querySelector('#upload [data-part="names"]').textContent = new Intl.ListFormat(document.documentElement.lang, { type: "unit" }).format(names);
  upload.upload.addEventListener("progress", ({ loaded, total }) => progress(bar, total ? loaded / total : 0));
  upload.addEventListener("load", arrived);
  upload.addEventListener("abort", ended);
  upload.addEventListener("error", lost);
  document.getElementById("files-lost").hidden = true;
  show(true);
  keep(sentKey, key());
  upload.send(data);
}

function progress(bar, share) {
  bar.value = 100 * share;
  const percent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
  document.querySelector('#upload [data-part="share"]').textContent = percent.format(share);
}

function show(going) {
  progress(document.getElementById("progress"), 0);
  document.getElementById("upload").hidden = !going;
  document.getElementById("files").disabled = going;
}

// What the server made of the cancelled files, if anything, the page shows when it is
// loaded next.
function ended() {
  upload = null;
  waiting = null;
  show(false);
  const files = document.getElementById("files");
  files.value = "";
  files.focus();
}

// Without a connection no page of the server's says what became of the files.
function lost() {
  ended();
  const said = document.getElementById("files-lost");
  said.textContent = said.dataset.said;
  said.hidden = false;
}

// resting returns the input that is being typed in, and where its caret is.
function resting() {
  const { id, selectionStart, selectionEnd } = document.activeElement;
  return { id, caret: [selectionStart, selectionEnd] };
}

// rest puts the focus on what is wrong, else back to where somebody is typing.
function rest(wrong, { id, caret }) {
  const again = form.elements[id] ?? document.getElementById("files");
  (wrong ?? again).focus();
  if (!wrong && again.id === id && typeof caret[0] === "number") {
    again.setSelectionRange(...caret);
  }
}

function arrived() {
  const page = upload.response;
  const next = page?.getElementById("compose");
  if (!next) {
    location.assign(upload.responseURL); // signed out, or gone: the page itself says so
    return;
  }
  const others = next.dataset.person !== form.dataset.person; // nothing of one person's goes into another's page
  const button = others ? "" : waiting;
  const later = new Map(others ? [] : inputs().filter((e) => valueOf(e) !== upload.sent.get(e.name)).map((e) => [e.name, valueOf(e)]));
  if (form.elements.palette && !others) {
    later.set("palette", form.elements.palette.value);
  }
  const at = resting();
  renew(page, later); // what was typed while the files were on their way stays
  if (later.size > 0) {
    typed({ target: form.elements.name });
  }
  rest(form.querySelector("[autofocus]") ?? document.querySelector("#problem[autofocus]"), at);
  if (button && !document.querySelector("#problem:not([hidden]), [aria-invalid]")) { // nothing goes without a file that failed
    form.querySelector(`button[value="${CSS.escape(button)}"]`)?.click();
  }
}

addEventListener("pagehide", keepChanges);
begin();
