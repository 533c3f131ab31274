// make check-screenreader: what a screen reader says, in order, on the pages of five errands, compared with
// the transcripts in screenreader/, which somebody has read. UPDATE=1 writes them anew.
import { readFileSync, writeFileSync } from "node:fs";
import { JSDOM, VirtualConsole } from "jsdom";
import { start, toSign, Visitor } from "./program.mjs";

const program = await start();
const { Virtual } = await import("@guidepup/virtual-screen-reader");
let wrong = 0;
try {
  for (const [name, errand] of Object.entries(errands())) {
    let said = "";
    for (const answer of await errand()) said += `== ${answer.path.replace(/[\w-]{27}=/g, "ID")}\n${await spoken(answer.text)}\n`;
    const file = new URL(`screenreader/${name}.txt`, import.meta.url);
    if (process.env.UPDATE) writeFileSync(file, said);
    else if (readFileSync(file, "utf8") !== said) {
      wrong++;
      console.log(`${name}: something else is said:\n${said}`);
    } else console.log(`${name}: as it was read`);
  }
} finally {
  await program.stop();
}
process.exitCode = wrong ? 1 : 0;

// errands return the pages that a person comes by.
function errands() {
  const person = async (user) => {
    const visitor = new Visitor(program.origin);
    await visitor.signIn(user);
    return visitor;
  };
  return {
    "sign-in": async () => {
      const nobody = new Visitor(program.origin);
      return [await nobody.ask("/login"), await nobody.fill("/login", { user: "" })];
    },
    "register-a-passkey": async () => [await (await person("alice@sandbox")).ask("/authenticators")],
    "prepare-and-send": async () => {
      const alice = await person("alice@sandbox");
      const made = await alice.api("POST", "/api/packages", toSign());
      return [await alice.ask("/packages/new"), await alice.ask(`/packages/${made.id}`)];
    },
    sign: async () => {
      const bob = await person("bob@sandbox");
      const { results } = await bob.api("GET", "/api/packages");
      return [await bob.ask("/packages"), await bob.ask(`/packages/${results[0].id}`)];
    },
    "identity-check": async () => {
      const alice = await person("alice@sandbox");
      return [await alice.ask("/verifications"), await alice.ask("/verifications/new"), await alice.fill("/verifications/new", {})];
    },
  };
}

// spoken returns what is said from the top of a page to its end, a line each.
async function spoken(html) {
  const { window } = new JSDOM(html, { virtualConsole: new VirtualConsole() });
  for (const name of ["window", "document", "Node", "Element", "HTMLElement", "MutationObserver", "getComputedStyle"]) {
    globalThis[name] = name === "window" ? window : name === "getComputedStyle" ? window.getComputedStyle.bind(window) : window[name];
  }
  const reader = new Virtual();
  await reader.start({ container: window.document.body, window });
  for (let i = 0; i < 2000 && (await reader.lastSpokenPhrase()) !== "end of document"; i++) await reader.next();
  const log = await reader.spokenPhraseLog();
  await reader.stop();
  return log.join("\n").replace(/\d{1,2} [A-Z][a-z]+ \d{4}(, \d\d:\d\d UTC)?/g, "A DATE").replace(/\d{4}-\d\d-\d\d/g, "A DATE").replace(/^\d{1,2} [A-Z][a-z]+$/gm, "A DATE").replace(/^[\w-]{16}$/gm, "A REQUEST");
}
