// The page on which a package is prepared. What is typed stays in this tab until the
// server has it, over a reload and a sign-in; files are sent as soon as they are chosen,
// and fields move on the outline. Without this script the form does all of it by itself.

import { fields } from "./fields.js";
import { nameFields, outline } from "./outline.js";

const sentKey = "compose sent";
let form, upload, waiting;

function begin(later = new Map()) {
  form = document.getElementById("compose");
  upload = null;
  waiting = null;
  form.elements.ticket.remove(); // what is typed is kept here
  restore();
  fill(later);
  fields(form);
  outline(form);
  document.getElementById("add-files").parentElement.hidden = true;
  form.addEventListener("input", typed);
  form.addEventListener("change", ({ target }) => target.id === "files" && target.files.length > 0 && send());
  form.addEventListener("submit", submitting);
  document.getElementById("cancel").addEventListener("click", () => upload?.abort());
  const drop = form.querySelector(".drop");
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", dropped);
}

const key = () => `compose ${form.getAttribute("action")}`;
const valueOf = (input) => (input.type === "checkbox" ? input.checked : input.value);
const inputs = () => [...form.elements].filter((e) => e.name && !["file", "hidden", "submit"].includes(e.type));

function typed({ target }) {
  rename(target.name);
  if (/^r\d+\./.test(target.name)) {
    nameFields(form);
  }
  const values = inputs().map((e) => [e.name, valueOf(e)]);
  sessionStorage.setItem(key(), JSON.stringify({ person: form.dataset.person, revision: form.dataset.revision, values }));
}

// What the server has by now is not put over what it says.
function restore() {
  const sent = sessionStorage.getItem(sentKey);
  sessionStorage.removeItem(sentKey);
  if (sent && sent !== key()) {
    sessionStorage.removeItem(sent);
  }
  const kept = JSON.parse(sessionStorage.getItem(key()));
  if (kept?.person !== form.dataset.person || kept.revision !== form.dataset.revision) {
    sessionStorage.removeItem(key());
    return;
  }
  fill(new Map(kept.values));
}

function fill(values) {
  for (const input of inputs().filter((e) => values.has(e.name))) {
    const value = values.get(input.name);
    if (input.type === "checkbox") {
      input.checked = value;
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
  sessionStorage.setItem(sentKey, key());
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
  upload.upload.addEventListener("progress", ({ loaded, total }) => (bar.value = total ? (100 * loaded) / total : 0));
  upload.addEventListener("load", arrived);
  upload.addEventListener("abort", ended);
  upload.addEventListener("error", ended);
  show(true);
  sessionStorage.setItem(sentKey, key());
  upload.send(data);
}

function show(going) {
  const bar = document.getElementById("progress");
  bar.value = 0;
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

function arrived() {
  const page = upload.response;
  const next = page?.getElementById("compose");
  if (!next) {
    location.assign(upload.responseURL); // signed out, or gone: the page itself says so
    return;
  }
  const button = waiting;
  const later = new Map(inputs().filter((e) => valueOf(e) !== upload.sent.get(e.name)).map((e) => [e.name, valueOf(e)]));
  document.title = page.title;
  document.getElementById("main").replaceChildren(...document.importNode(page.getElementById("main"), true).childNodes);
  history.replaceState(null, "", next.getAttribute("action"));
  begin(later); // what was typed while the files were on their way stays
  if (later.size > 0) {
    typed({ target: form.elements.name });
  }
  (form.querySelector("[autofocus]") ?? document.getElementById("files")).focus();
  if (button && !form.querySelector("[aria-invalid]")) {
    form.querySelector(`button[value="${CSS.escape(button)}"]`)?.click();
  }
}

begin();
