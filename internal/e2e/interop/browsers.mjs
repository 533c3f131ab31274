// make check-browsers [ENGINE=firefox]: what people do most, in Firefox ESR and WebKitGTK of Debian,
// driven by WebDriver. Each errand is judged by what the page shows and what the platform has;
// photographs of the pages are in bin/browsers. Nothing may be wrong in the browser's console.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { eventually, firefox, webkit } from "./browsers/webdriver.mjs";
import { lease, password, start, toSign, Visitor } from "./program.mjs";

const out = fileURLToPath(new URL("../../../bin/browsers/", import.meta.url));
const paper = `${out}lease.pdf`;
const engines = {
  firefox: { start: () => firefox(), scriptless: () => firefox({ "javascript.enabled": false }) },
  webkit: { start: () => webkit(), scriptless: () => webkit(["--enable-javascript=false"]) },
};

// What a page has, by its words.
const is = (text) => `[normalize-space()="${text}"]`;
const button = (name) => `//button${is(name)}`;
const link = (name) => `//a${is(name)}`;
const heading = (name) => `//*[self::h1 or self::h2 or self::h3]${is(name)}`;
const status = (text) => `//*[@role="status" or @role="alert"][contains(normalize-space(), "${text}")]`;
const words = (text) => `//body//*[contains(text(), "${text}")]`;
const input = (label, part = "") => `${part}//*[self::input or self::select or self::textarea][@id=//label[normalize-space()="${label}" or span[@class="number"] and contains(., "${label}")]/@for]`;
const group = (name) => `//fieldset[legend[contains(normalize-space(), "${name}")]]`;
const picture = (name) => `//img[@alt="${name}"]`;
const spot = (name) => `//button[contains(@class, "spot")][starts-with(@aria-label, "${name}")]`;
const keys = { left: "\uE012", up: "\uE013", enter: "\uE007", escape: "\uE00C" };

async function signIn(browser, site, user) {
  await browser.open(`${site.origin}/login`);
  await browser.type(input("User name"), user);
  await browser.click(button("Continue"));
  await browser.type(input("Password"), password);
  await browser.click(button("Sign in with your password"));
  await browser.find(words("Welcome"));
}

// signOut also waits for the page that follows: to open another one would stop the signing out.
async function signOut(browser) {
  await browser.click(button("Sign out"));
  await browser.find(status("You are signed out."));
}

// pointOn returns where a point of a page is in the window, in points of the page, and how
// much of the window a point takes.
async function pointOn(browser, page, left, top) {
  return browser.run(`const [alt, left, top] = arguments;
    const image = [...document.images].find((one) => one.alt === alt), points = Number(image.closest("[data-width]").dataset.width);
    let box = image.getBoundingClientRect();
    scrollBy({ top: box.top + top * box.width / points - innerHeight / 2, behavior: "instant" });
    box = image.getBoundingClientRect();
    return { x: box.left + left * box.width / points, y: box.top + top * box.width / points, scale: box.width / points };`, page, left, top);
}

// place chooses a kind in the palette and clicks on a point of a page.
async function place(browser, kind, page, left, top) {
  await browser.click(`${group("Palette")}${button(kind)}`);
  const { x, y } = await pointOn(browser, page, left, top);
  await browser.drag([[x, y]]);
}

// near fails unless a field is where it should be, to a point.
function near(field, want) {
  for (const [side, value] of Object.entries(want)) {
    if (Math.abs(field[side] - value) > 1.5) throw new Error(`${field.name}: ${side} is ${field[side]}, not ${value}`);
  }
}

// fieldsOf returns the fields that the platform has, by their names.
async function fieldsOf(site, id) {
  const made = await site.alice.api("GET", `/api/packages/${id}`);
  return Object.fromEntries(made.documents.flatMap((d) => d.approvals.flatMap((a) => a.fields)).map((field) => [field.name, field]));
}

// inside fails unless each legend that is shown lies below its fieldset's upper edge: some
// engines draw it across a border.
async function inside(browser) {
  const across = await browser.run(`return [...document.querySelectorAll(".part > legend")].filter((one) => one.offsetHeight && parseFloat(getComputedStyle(one.parentElement).borderTopWidth)).map((one) => one.textContent)`);
  if (across.length) throw new Error(`legends lie across a border: ${across}`);
}

const errands = {
  "signs in with a password"(browser, site) {
    return signIn(browser, site, "alice@sandbox");
  },

  async "registers a passkey and signs in with it"(browser, site) {
    await browser.open(`${site.origin}/authenticators`);
    if (!(await browser.plugIn())) {
      await browser.find(words("This browser cannot use passkeys here."));
      await browser.open(`${site.origin}/login`);
      return "it has no virtual authenticator and no WebAuthn; the pages say so, and offer the password";
    }
    await browser.click(button("Create a passkey"));
    await browser.find(heading("Your passkey is ready"));
    await browser.photograph(`${site.photo}-passkey.png`);
    await signOut(browser);
    await browser.open(`${site.origin}/login?next=/account`);
    await browser.type(input("User name"), "alice@sandbox");
    await browser.click(button("Continue"));
    await browser.click(button("Sign in with a passkey"));
    await browser.find(`//dd[contains(., "Passkey")]`);
  },

  async "knows what of the Signal API there is"(browser, site) {
    const names = ["signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"];
    const there = await browser.run(`return arguments[0].filter((name) => typeof globalThis.PublicKeyCredential?.[name] === "function")`, names);
    const asked = await browser.run(`return performance.getEntriesByType("resource").some((e) => e.name.endsWith("/accepted-passkeys"))`);
    if (asked && !there.length) throw new Error("the page asks for what no browser is told");
    return there.length ? there.join(", ") : "none, and nothing is asked for";
  },

  async "prepares a package and sends it"(browser, site) {
    await browser.open(`${site.origin}/packages/new`);
    await eventually("the page's script", () => browser.run(`return !document.querySelector('[name="ticket"]')`));
    await browser.choose(`//input[@id="files"]`, paper);
    await browser.find(picture("Page 2 of lease"));
    await browser.type(input("E-mail", group("Recipient 1")), "Bob Baker <bob@sandbox.example>");
    await place(browser, "Text", "Page 1 of lease", 300, 300);
    await browser.type(input("Label"), "Account");
    await place(browser, "Full name", "Page 2 of lease", 200, 500);
    await browser.find(spot("Full name 1"));
    // The mouse moves the one, the keyboard the other.
    const from = await pointOn(browser, "Page 1 of lease", 300, 300);
    await browser.drag([[from.x, from.y], [from.x + 40 * from.scale, from.y + 20 * from.scale], [from.x + 80 * from.scale, from.y + 60 * from.scale]]);
    await pointOn(browser, "Page 2 of lease", 200, 500);
    await browser.click(spot("Full name 1"));
    await browser.keys(keys.left, keys.left, keys.up);
    await eventually("the field's new place", async () => (await browser.run(`return [...document.querySelectorAll('[name$=".left"]')].map((one) => one.value)`)).includes("98"));
    await inside(browser);
    await browser.photograph(`${site.photo}-prepare.png`);
    await browser.click(button("Send"));
    await browser.find(heading("Sent"));
    site.id = new URL(await browser.address()).pathname.split("/")[2];
    const fields = await fieldsOf(site, site.id);
    near(fields.Account, { page: 0, left: 280, top: 350, width: 200, height: 20 });
    near(fields["Full name 1"], { page: 1, left: 98, top: 474, width: 200, height: 50 });
  },

  async "reads its pages"(browser, site) {
    await browser.open(`${site.origin}/packages/${site.id}`);
    await browser.click(button("Larger"));
    await browser.find(`//*[@role="status"][not(normalize-space()="100%")][contains(., "%")]`);
    await eventually("the page's picture", () => browser.run(`const image = document.querySelector('img[alt^="Page 1 of "]');
      image.scrollIntoView();
      return image.complete && image.naturalWidth > 400`));
    await browser.photograph(`${site.photo}-pages.png`);
    await browser.click(`(//summary${is("Text of this page")})[1]`);
    await browser.find(words("Lease of the mill, page 1"));
  },

  async "follows the list and a live page"(browser, site) {
    const made = await site.alice.api("POST", "/api/packages", toSign("Followed"));
    await browser.open(`${site.origin}/packages?tab=sent`);
    await browser.click(link("Followed"));
    await browser.find(heading("Sent"));
    await browser.run("document.documentElement.dataset.unchanged = true");
    await site.alice.api("POST", `/api/packages/${made.id}`, { status: "DRAFT" });
    await browser.find(heading("Draft"));
    if (!(await browser.run("return document.documentElement.dataset.unchanged"))) throw new Error("the page was loaded anew");
  },

  async "signs"(browser, site) {
    const payload = toSign("To be signed");
    payload.documents[0].approvals[0].fields[1].subtype = "CAPTURE";
    const { id } = await site.alice.api("POST", "/api/packages", payload);
    await signOut(browser);
    await signIn(browser, site, "bob@sandbox");
    await browser.open(`${site.origin}/packages`);
    await browser.click(`//li[.//a${is("To be signed")}]${link("Sign now")}`);
    await browser.click(button("Accept"));
    await browser.type(input("Account"), "4711");
    const box = await browser.run(`const canvas = document.querySelector("canvas");
      canvas.scrollIntoView({ block: "center", behavior: "instant" });
      return canvas.getBoundingClientRect().toJSON()`);
    await browser.drag([[0.1, 0.2], [0.5, 0.8], [0.9, 0.2]].map(([x, y]) => [box.x + x * box.width, box.y + y * box.height]));
    await browser.photograph(`${site.photo}-sign.png`);
    await browser.click(button("Sign"));
    await browser.find(status("You have signed"));
    const { status: now } = await site.alice.api("GET", `/api/packages/${id}`);
    if (now !== "COMPLETED") throw new Error(`the package is ${now}`);
  },
};

// withoutScripts are the same errands where no script runs.
const withoutScripts = {
  async "signs in without scripts"(browser, site) {
    await browser.open(`${site.origin}/login`);
    await browser.type(input("User name"), "alice@sandbox");
    await browser.click(button("Continue"));
    await browser.photograph(`${site.photo}-scriptless.png`);
    await browser.type(input("Password"), password);
    await browser.click(button("Sign in with your password"));
    await browser.find(words("Welcome"));
  },

  async "prepares and sends without scripts"(browser, site) {
    await browser.open(`${site.origin}/packages/new`);
    await browser.choose(`//input[@id="files"]`, paper);
    await browser.click(button("Add the chosen files"));
    await browser.find(picture("Page 2 of lease"));
    await browser.type(input("E-mail", group("Recipient 1")), "Bob Baker <bob@sandbox.example>");
    await browser.click(button("Add a field"));
    for (const [label, value] of Object.entries({ Page: "2", Left: "100", Top: "475" })) await browser.type(input(label, group("Full name 1")), value);
    await browser.photograph(`${site.photo}-scriptless-prepare.png`);
    await browser.click(button("Send"));
    await browser.find(heading("Sent"));
    site.id = new URL(await browser.address()).pathname.split("/")[2];
    near((await fieldsOf(site, site.id))["Full name 1"], { page: 1, left: 100, top: 475 });
  },

  async "signs without scripts"(browser, site) {
    const { id } = await site.alice.api("POST", "/api/packages", toSign("Signed without scripts"));
    await signOut(browser);
    await signIn(browser, site, "bob@sandbox");
    await browser.open(`${site.origin}/packages/${id}`);
    await browser.click(link("Sign now"));
    await browser.click(button("Accept"));
    await browser.type(input("Account"), "4711");
    await browser.click(button("Sign"));
    await browser.find(status("You have signed"));
  },
};

async function run(name, browser, site, all) {
  let bad = 0;
  for (const [errand, does] of Object.entries(all)) {
    const started = Date.now();
    let said;
    try {
      said = (await does(browser, site)) ?? "right";
      const complaints = await browser.complaints(site.origin);
      if (complaints.length) throw new Error(`the console has ${complaints.join("; ")}`);
    } catch (error) {
      bad++;
      said = `WRONG: ${error.message}`;
      await browser.photograph(`${site.photo}-wrong-${errand.replaceAll(" ", "-")}.png`).catch(() => {});
    }
    console.log(`${name}: ${errand}: ${said} (${Date.now() - started} ms)`);
  }
  return bad;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
writeFileSync(paper, lease(2));
const wanted = process.argv[2];
let bad = 0;
for (const [name, engine] of Object.entries(engines)) {
  if (wanted && wanted !== name) continue;
  const program = await start();
  try {
    const alice = new Visitor(program.origin);
    await alice.signIn("alice@sandbox");
    const site = { origin: program.origin, alice, photo: `${out}${name}` };
    for (const [begin, all] of [[engine.start, errands], [engine.scriptless, withoutScripts]]) {
      const browser = await begin();
      bad += await run(browser.name, browser, site, all).finally(() => browser.stop());
    }
  } finally {
    await program.stop();
  }
}
process.exitCode = bad ? 1 : 0;
