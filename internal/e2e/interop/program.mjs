// Starts the program that `make build` made, with everything embedded, and speaks to it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const binary = fileURLToPath(new URL("../../../bin/countersign", import.meta.url));

export const password = "Sandbox-1!";

// start starts Countersign on free ports. Settings come without their prefix. It returns the
// addresses, the lines of the log so far, and stop().
export async function start(settings = {}) {
  const free = { ADDR: "127.0.0.1:0", ADMIN_ADDR: "127.0.0.1:0", SANDBOX_ADDR: "127.0.0.1:0" };
  const off = { RATE_SIGN_IN: "off", RATE_SIGN_IN_ADDRESS: "off", RATE_CEREMONY: "off", RATE_CEREMONY_ADDRESS: "off" };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  for (const [name, value] of Object.entries({ ...free, ...off, LOG_FORMAT: "json", ...settings })) {
    env["COUNTERSIGN_" + name] = value;
  }
  const child = spawn(binary, { env, stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => child.kill());
  const program = { pid: child.pid, log: [], stop: () => stop(child) };
  await new Promise((resolve, reject) => {
    let rest = "";
    const read = (chunk) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("{")) continue; // the banner
        const entry = JSON.parse(line);
        program.log.push(entry);
        if (entry.msg === "started") {
          Object.assign(program, { origin: entry.origin, address: "http://" + entry.address, sandbox: "http://" + entry.platform });
        }
        if (String(entry.msg).startsWith("ready")) resolve();
      }
    };
    child.stderr.on("data", read);
    child.stdout.on("data", read);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the program ended with ${code}: ${JSON.stringify(program.log)}`)));
  });
  return program;
}

async function stop(child) {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

// visitor is a person's browser without scripts: it keeps cookies and sends forms.
export class Visitor {
  constructor(origin, language = "en") {
    this.origin = origin;
    this.language = language;
    this.cookies = new Map();
  }

  // ask returns the answer's status, address, content type and text, redirects followed.
  async ask(path, { method = "GET", body, headers = {} } = {}) {
    const address = new URL(path, this.origin);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(address, {
      method, body, redirect: "manual",
      headers: { Accept: "text/html", "Accept-Language": this.language, Origin: this.origin, ...(cookie && { Cookie: cookie }), ...headers },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair, ...rest] = line.split(";");
      const at = pair.indexOf("=");
      if (rest.some((r) => /max-age=0|expires=thu, 01 jan 1970/i.test(r.trim()))) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await answer.text();
    if ([301, 302, 303, 307].includes(answer.status) && answer.headers.get("location")) {
      return this.ask(new URL(answer.headers.get("location"), address));
    }
    return { status: answer.status, path: address.pathname + address.search, type: answer.headers.get("content-type") ?? "", text };
  }

  // fill sends a form of names and values, as it is shown to the signed-in person.
  async fill(path, values) {
    const shown = /name="shown_to" value="([^"]*)"/.exec((await this.ask("/nowhere")).text)?.[1];
    return this.ask(path, { method: "POST", body: new URLSearchParams({ ...(shown && { shown_to: shown }), ...values }) });
  }

  // api calls the JSON door with the same session, and returns the decoded answer.
  async api(method, path, value) {
    const headers = { Accept: "application/json", ...(value && { "Content-Type": "application/json" }) };
    const answer = await this.ask(path, { method, headers, body: value && JSON.stringify(value) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text && answer.type.includes("json") ? JSON.parse(answer.text) : answer.text;
  }

  signIn(user) {
    return this.api("POST", `/users/${user}/login`, { credentials: { passKey: password } });
  }
}

// lease is a PDF of pages with a line of text each, and of that many bytes that nobody sees.
export function lease(pages = 1, unseen = 0) {
  const objects = ["<</Type/Catalog/Pages 2 0 R>>", `<</Type/Pages/Count ${pages}/Kids[${Array.from({ length: pages }, (_, i) => `${4 + 2 * i} 0 R`).join(" ")}]>>`, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"];
  for (let i = 0; i < pages; i++) {
    const text = `BT /F1 18 Tf 72 700 Td (Lease of the mill, page ${i + 1}) Tj ET`;
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + 2 * i} 0 R>>`);
    objects.push(`<</Length ${text.length}>>stream\n${text}\nendstream`);
  }
  if (unseen) objects.push(`<</Length ${unseen}>>stream\n${"x".repeat(unseen)}\nendstream`);
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj${object}endobj\n`;
    return at;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n` + offsets.map((o) => String(o).padStart(10, "0") + " 00000 n \n").join("");
  return file + `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
}

// toSign is a package of Alice's that Bob signs.
export function toSign(name = "Lease of the mill", file = lease(2)) {
  return {
    name, status: "SENT",
    roles: [{ id: "tenant", signers: [{ email: "bob@sandbox.example", firstName: "Bob", lastName: "Baker" }] }],
    documents: [{
      id: "lease", name: "Lease", base64Content: Buffer.from(file).toString("base64"),
      approvals: [{ role: "tenant", fields: [
        { type: "INPUT", subtype: "TEXTFIELD", name: "Account", page: 0, left: 72, top: 140, width: 200, height: 30 },
        { type: "SIGNATURE", subtype: "FULLNAME", page: 0, left: 72, top: 300, width: 200, height: 50 },
      ] }],
    }],
  };
}
