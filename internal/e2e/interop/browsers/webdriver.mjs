// Drives browsers by WebDriver's commands: WebKitGTK by its driver over HTTP, and Firefox by
// what its own driver, which Debian does not have, says to it over a socket (Marionette).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const element = "element-6066-11e4-a52e-4f735466cecf";
const patience = 30_000; // milliseconds for whatever is waited for

// commands are WebDriver's, by Marionette's names: the method and the path below a session's.
const commands = {
  Navigate: ["POST", "url"], GetCurrentURL: ["GET", "url"], GetTitle: ["GET", "title"], Refresh: ["POST", "refresh"],
  FindElements: ["POST", "elements"], ElementClick: ["POST", "element/ID/click"], ElementSendKeys: ["POST", "element/ID/value"], ElementClear: ["POST", "element/ID/clear"],
  GetElementText: ["GET", "element/ID/text"], IsElementDisplayed: ["GET", "element/ID/displayed"], ExecuteScript: ["POST", "execute/sync"],
  PerformActions: ["POST", "actions"], ReleaseActions: ["DELETE", "actions"], TakeScreenshot: ["GET", "screenshot"], SetWindowRect: ["POST", "window/rect"],
  DeleteAllCookies: ["DELETE", "cookie"], SwitchToWindow: ["POST", "window"], NewWindow: ["POST", "window/new"], GetWindowHandle: ["GET", "window"], CloseWindow: ["DELETE", "window"],
};

const folder = mkdtempSync(join(tmpdir(), "browsers-"));
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function begin(command, args, env = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: folder, ...env } });
  running.add(child);
  child.said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (child.said += chunk));
  child.on("exit", () => running.delete(child));
  child.on("error", (error) => (child.said += error.message));
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await Promise.race([ended, wait(5000)]);
  child.kill("SIGKILL");
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

// eventually returns what do returns, once that is something; an error of it counts as nothing.
export async function eventually(what, do_) {
  let failed;
  for (const until = Date.now() + patience; Date.now() < until; await wait(50)) {
    try {
      const found = await do_();
      if (found) return found;
    } catch (error) {
      failed = error;
    }
  }
  throw new Error(`not within ${patience / 1000} s: ${what}${failed ? ` (${failed.message})` : ""}`);
}

// firefox starts Firefox, without a window, with further preferences.
export async function firefox(preferences = {}) {
  const profile = mkdtempSync(join(folder, "firefox-")), port = await freePort();
  const key = { "security.webauth.webauthn_enable_softtoken": true, "security.webauth.webauthn_enable_usbtoken": false, "security.webauthn.always_allow_direct_attestation": true };
  const all = { "marionette.port": port, "intl.accept_languages": "en", "app.normandy.enabled": false, "datareporting.policy.dataSubmissionEnabled": false, ...key, ...preferences };
  writeFileSync(join(profile, "user.js"), Object.entries(all).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
  const child = begin("firefox-esr", ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile, "about:blank"]);
  const socket = await eventually(`Firefox listens: ${child.said}`, async () => {
    const socket = net.connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  });
  const send = marionette(socket);
  await send("WebDriver:NewSession", {});
  const ask = async (name, { ID, ...params } = {}) => {
    const full = name.includes(":") ? name : `WebDriver:${name}`;
    const result = await send(full, name === "ElementSendKeys" || ID ? { id: ID, ...params } : params);
    return result && typeof result === "object" && "value" in result && !Array.isArray(result) ? result.value : result;
  };
  const stop = async () => (await send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {}), socket.destroy(), end(child));
  const browser = new Browser("Firefox", ask, stop);
  browser.plugIn = () => ask("WebAuthn:AddVirtualAuthenticator", { protocol: "ctap2_1", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserConsenting: true, isUserVerified: true });
  browser.complaints = async (origin) => {
    await ask("Marionette:SetContext", { value: "chrome" });
    const all = await browser.run(`const all = Services.console.getMessageArray().filter((one) => one instanceof Ci.nsIScriptError && one.sourceName.startsWith(arguments[0]));
      Services.console.reset();
      return all.map((one) => one.toString())`, origin);
    await ask("Marionette:SetContext", { value: "content" });
    return all;
  };
  return browser.widen();
}

// marionette returns a function that sends a command: messages are JSON with its length before.
function marionette(socket) {
  const waiting = new Map();
  let rest = Buffer.alloc(0), last = 0, greeted;
  const hello = new Promise((resolve) => (greeted = resolve));
  const take = (message) => {
    if (!Array.isArray(message)) return greeted();
    const [, id, error, result] = message;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    error ? reject(new Error(`${error.error}: ${error.message}`)) : resolve(result);
  };
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let colon; (colon = rest.indexOf(":")) > 0;) {
      const length = Number(rest.subarray(0, colon));
      if (rest.length < colon + 1 + length) return;
      const text = rest.subarray(colon + 1, colon + 1 + length).toString();
      rest = rest.subarray(colon + 1 + length);
      take(JSON.parse(text));
    }
  });
  socket.on("close", () => waiting.forEach(({ reject }) => reject(new Error("Firefox has hung up"))));
  return async (name, params) => {
    await hello;
    const text = JSON.stringify([0, ++last, name, params]);
    const answer = new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    return answer;
  };
}

// webkit starts WebKitGTK's small browser on a screen of its own.
export async function webkit(args = []) {
  const port = await freePort();
  const screen = begin("Xvfb", ["-displayfd", "1", "-screen", "0", "1400x1600x24", "-nolisten", "tcp"]);
  const display = await eventually(`Xvfb has a screen: ${screen.said}`, () => screen.said.match(/^\d+$/m)?.[0]);
  const child = begin("WebKitWebDriver", [`--port=${port}`], { DISPLAY: `:${display}`, LIBGL_ALWAYS_SOFTWARE: "1", WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" });
  const at = `http://127.0.0.1:${port}/session`;
  const send = async (method, address, params) => {
    const answer = await fetch(address, { method, body: method === "POST" ? JSON.stringify(params ?? {}) : undefined });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await eventually("WebKitWebDriver listens", () => send("GET", `http://127.0.0.1:${port}/status`).then(() => true));
  const options = { binary: webkitBrowser, args: ["--automation", "--enable-write-console-messages-to-stdout=true", ...args] };
  const { sessionId } = await send("POST", at, { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
  const ask = (name, { ID, ...params } = {}) => {
    const [method, path] = commands[name];
    return send(method, `${at}/${sessionId}/${path.replace("ID", ID)}`, params);
  };
  const stop = async () => (await send("DELETE", `${at}/${sessionId}`).catch(() => {}), await end(child), end(screen));
  const browser = new Browser("WebKitGTK", ask, stop);
  browser.plugIn = async () => false; // it has no WebAuthn
  browser.complaints = async () => {
    const all = child.said.match(/^CONSOLE (?!LOG|INFO).*$/gm) ?? [];
    child.said = "";
    return all;
  };
  return browser.widen();
}

export const webkitBrowser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

// Browser is a window that somebody uses. Things are found by an XPath.
class Browser {
  constructor(name, ask, stop) {
    Object.assign(this, { name, ask, stop });
  }

  async widen() {
    await this.ask("SetWindowRect", { x: 0, y: 0, width: 1350, height: 1000 });
    return this;
  }

  open(address) { return this.ask("Navigate", { url: address }); }

  address() { return this.ask("GetCurrentURL"); }

  run(script, ...args) { return this.ask("ExecuteScript", { script, args }); }

  // all returns those elements that are shown.
  async all(xpath) {
    const found = await this.ask("FindElements", { using: "xpath", value: xpath });
    const shown = [];
    for (const one of found) if (await this.ask("IsElementDisplayed", { ID: one[element] })) shown.push(one[element]);
    return shown;
  }

  // find waits until an element is shown.
  find(xpath) { return eventually(`${xpath} at ${this.name}`, async () => (await this.all(xpath))[0]); }

  // click clicks on the element, and again where the page was replaced meanwhile.
  click(xpath) {
    return eventually(`a click on ${xpath}`, async () => {
      await this.ask("ElementClick", { ID: (await this.all(xpath))[0] });
      return true;
    });
  }

  async type(xpath, text) {
    const ID = await this.find(xpath);
    await this.ask("ElementClear", { ID });
    await this.ask("ElementSendKeys", { ID, text });
  }

  // choose gives a file to an input, which may be hidden.
  async choose(xpath, file) {
    const [one] = await this.ask("FindElements", { using: "xpath", value: xpath });
    await this.ask("ElementSendKeys", { ID: one[element], text: file });
  }

  // keys presses keys, one after the other, where the focus is.
  async keys(...keys) {
    const actions = keys.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.ask("PerformActions", { actions: [{ type: "key", id: "keys", actions }] });
    await this.ask("ReleaseActions");
  }

  // drag presses the mouse at the first point of the window and moves it over the others.
  async drag([first, ...others]) {
    const move = ([x, y]) => ({ type: "pointerMove", duration: 50, x: Math.round(x), y: Math.round(y), origin: "viewport" });
    const actions = [move(first), { type: "pointerDown", button: 0 }, ...others.map(move), { type: "pointerUp", button: 0 }];
    await this.ask("PerformActions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
    await this.ask("ReleaseActions");
  }

  async photograph(file) { writeFileSync(file, Buffer.from(await this.ask("TakeScreenshot", { full: false }), "base64")); }
}
