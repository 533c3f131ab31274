// make check-html: every page that a person meets, in each language, judged by the Nu Html Checker.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { start, toSign, Visitor } from "./program.mjs";

const languages = ["en", "de", "fr", "es", "ja"];
const out = fileURLToPath(new URL("../../../bin/pages/", import.meta.url));
const jar = fileURLToPath(new URL("node_modules/vnu-jar/build/dist/vnu.jar", import.meta.url));

// visits returns the pages of one run, as [name, path] or [name, path, form].
function visits(ids) {
  return {
    nobody: [
      ["home", "/"], ["login", "/login"], ["login-empty", "/login", { user: "" }], ["not-found", "/nothing/here"],
      ["error-spent", "/errors/ceremony.spent"], ["reference", "/docs/api"], ["reference-search", "/docs/api?q=session"], ["login-next", "/login?next=/packages"],
    ],
    alice: [
      ["home", "/"], ["account", "/account"], ["authenticators", "/authenticators"], ["packages", "/packages"],
      ["drafts", "/packages?tab=drafts"], ["sent", "/packages?tab=sent"], ["search", "/packages?q=mill"],
      ["new-package", "/packages/new"], ["new-package-empty", "/packages/new", {}], ["draft", `/packages/new/${ids.draft}`],
      ["package", `/packages/${ids.sent}`], ["package-signed", `/packages/${ids.signed}`],
      ["audit", `/packages/${ids.sent}/audit`], ["proofs", `/packages/${ids.sent}/proofs`],
      ["verifications", "/verifications"], ["new-verification", "/verifications/new"], ["new-verification-empty", "/verifications/new", {}],
      ["package-of-nobody", "/packages/nobody"], ["custom-fields", "/custom-fields"], ["people", "/people"], ["delete", `/packages/delete?id=${ids.draft}`],
    ],
    bob: [["packages", "/packages"], ["package", `/packages/${ids.sent}`]],
    carol: [["people", "/people"], ["person", "/people/bob@sandbox"], ["custom-fields", "/custom-fields"]],
  };
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const program = await start({ OPERATORS: "carol@sandbox" });
try {
  const ids = await prepare();
  for (const language of languages) {
    for (const [user, pages] of Object.entries(visits(ids))) await visit(language, user, pages);
  }
} finally {
  await program.stop();
}
const files = readdirSync(out).filter((name) => name.endsWith(".html"));
console.log(`${files.length} pages in ${languages.length} languages`);
execFileSync("java", ["-Xss4m", "-jar", jar, "--also-check-css", "--Werror", ...files.map((name) => out + name)], { stdio: "inherit" });
console.log("Every page is valid.");

async function prepare() {
  const alice = new Visitor(program.origin);
  await alice.signIn("alice@sandbox");
  const make = async (more) => (await alice.api("POST", "/api/packages", { ...toSign(), ...more })).id;
  return { sent: await make({}), signed: await make({ name: "Second lease" }), draft: await make({ status: "DRAFT" }) };
}

async function visit(language, user, pages) {
  const person = new Visitor(program.origin, language);
  if (user !== "nobody") await person.signIn(`${user}@sandbox`);
  for (const [name, path, form] of pages) {
    const answer = form ? await person.fill(path, form) : await person.ask(path);
    const title = `${language}-${user}-${name}`;
    if (!answer.type.startsWith("text/html")) throw new Error(`${title}: ${answer.status} ${answer.type} ${answer.text}`);
    if (!answer.text.includes(`<html lang="${language}"`)) throw new Error(`${title} is not in its language`);
    console.log(title, answer.status, answer.path);
    writeFileSync(`${out}${title}.html`, answer.text);
  }
}
