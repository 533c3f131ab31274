// make check-proxies [PROXY=nginx]: reverse proxies of Debian before the program, and slow clients.
// Each reverse proxy passes on a page, a part of a file, an upload of 200 MB and an event stream
// as they come; a client's own X-Forwarded-For is not believed; no request is smuggled.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { careless } from "./misreading.mjs";
import { lease, start, toSign, Visitor } from "./program.mjs";

const half = 100 << 20; // bytes of an upload, sent in two halves
const folder = mkdtempSync(join(tmpdir(), "proxies-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const fronts = {
  nginx: { command: "nginx", args: (c) => ["-p", c.dir, "-c", c.file, "-g", "daemon off;"] },
  haproxy: { command: "haproxy", args: (c) => ["-db", "-f", c.file] },
  apache: { command: "apache2", args: (c) => ["-D", "FOREGROUND", "-f", c.file] },
  caddy: { command: "caddy", args: (c) => ["run", "--adapter", "caddyfile", "--config", c.file] },
  lighttpd: { command: "lighttpd", args: (c) => ["-D", "-f", c.file] },
  trafficserver: { command: "traffic_server", args: (c) => [`--run-root=${c.dir}/runroot.yaml`] },
  // Squid 5.7 breaks some uploads of 200 MB off, whatever server is behind it.
  squid: { command: "squid", args: (c) => ["-N", "-f", c.file], fails: "an upload" },
  varnish: { command: "varnishd", args: (c) => ["-F", "-j", "none", "-n", c.dir, "-a", `127.0.0.1:${c.port}`, "-f", c.file, "-s", "malloc,32m", "-T", "none"] },
};

const has = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

// platform is a signing API that counts what of an upload has arrived.
async function platform() {
  const seen = { bytes: 0, ended: 0 };
  const server = http.createServer((request, response) => {
    request.on("data", (chunk) => (seen.bytes += chunk.length));
    request.on("end", () => {
      if (request.method === "POST") seen.ended++;
      response.setHeader("Content-Type", "application/json").end(`{"id":"uploaded"}`);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { seen, url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

// until waits for a condition, 20 seconds at most.
async function until(what, condition) {
  for (let i = 0; i < 200; i++) {
    if (await condition()) return;
    await wait(100);
  }
  throw new Error(`not within 20 s: ${what}`);
}

// client asks through a reverse proxy as one at 127.0.0.2, under the public name.
function client(port, host) {
  return (path, { method = "GET", headers = {}, body } = {}) => new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, path, method, localAddress: "127.0.0.2", agent: false, headers: { Host: host, ...headers } }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk)).on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() }));
    });
    request.on("error", reject).setTimeout(30_000, () => request.destroy(new Error("no answer within 30 s")));
    request.end(body);
  });
}

const checks = {
  async "a page"({ ask }) {
    const page = await ask("/login");
    return page.status === 200 && page.text.includes("Countersign") && page.headers["content-security-policy"] ? "" : `${page.status}`;
  },

  async "a range"({ ask, direct, asset, token, id }) {
    for (const path of [asset, `/api/packages/${id}/documents/lease/pdf`]) {
      const headers = { Range: "bytes=10-19", Authorization: `Bearer ${token}` };
      const [bare, part] = [await direct(path, { headers }), await ask(path, { headers })];
      // Some cut the part out of a whole answer themselves.
      const cut = bare.status === 200 && part.status === 206 && part.text === bare.text.slice(10, 20);
      if (!cut && (part.status !== bare.status || part.text !== bare.text)) return `${path}: ${part.status}, ${part.text.length} bytes, and not ${bare.status}, ${bare.text.length} bytes`;
    }
    return "";
  },

  async "X-Forwarded-For"({ ask, program }) {
    const before = program.log.length;
    await ask("/session?forged", { headers: { "X-Forwarded-For": "203.0.113.9", Accept: "application/json" } });
    let line;
    await until("the request's line in the log", () => (line = program.log.slice(before).find((l) => l.path === "/session")));
    return line.address === "127.0.0.2" ? "" : `the log says ${line.address}`;
  },

  async "an event stream"({ port, host, token, id, alice }) {
    const seen = { text: "" };
    const request = http.request({ host: "127.0.0.1", port, path: `/packages/${id}/events`, headers: { Host: host, Authorization: `Bearer ${token}`, Accept: "text/event-stream" } }, (answer) => {
      seen.status = answer.statusCode;
      answer.on("data", (chunk) => (seen.text += chunk)).on("error", () => {});
    });
    request.on("error", (error) => (seen.error = error)).end();
    try {
      await until("the stream's head", () => seen.status || seen.error);
      const before = seen.text.length;
      await alice.api("POST", `/api/packages/${id}`, { status: "DRAFT" });
      await until("an event", () => seen.text.length > before && /event|data/.test(seen.text.slice(before)));
      return "";
    } catch (error) {
      return `${error.message} (${seen.status}, ${JSON.stringify(seen.text)})`;
    } finally {
      request.destroy();
    }
  },

  async "an upload"({ port, host, uploader, upstream }) {
    const { bytes, ended } = upstream.seen;
    const head = '--b\r\nContent-Disposition: form-data; name="payload"\r\n\r\n' + JSON.stringify({ name: "Large", documents: [{ id: "d", name: "D" }] }) +
      '\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="d.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF-1.4\n';
    const tail = "\r\n--b--\r\n";
    const answer = {};
    const request = http.request({ host: "127.0.0.1", port, path: "/api/packages", method: "POST", headers: {
      Host: host, Authorization: `Bearer ${uploader.token}`, "Content-Type": "multipart/form-data; boundary=b", "Content-Length": head.length + 2 * half + tail.length,
    } }, (response) => {
      answer.status = response.statusCode;
      response.on("data", (chunk) => (answer.text = (answer.text ?? "") + chunk)).on("end", () => (answer.ended = true));
    });
    request.on("error", (error) => (answer.error = error));
    const send = async (chunk) => request.write(chunk) || answer.error || answer.status || await Promise.race([once(request, "drain"), wait(20_000)]);
    await send(head);
    const chunk = Buffer.alloc(1 << 20, "x");
    for (let i = 0; i < half >> 20 && !answer.error; i++) await send(chunk);
    let streamed = true;
    try {
      await until("half of it at the platform", () => answer.error || upstream.seen.bytes - bytes > half / 2);
    } catch {
      streamed = false;
    }
    for (let i = 0; i < half >> 20 && !answer.error && !answer.status; i++) await send(chunk);
    request.end(tail);
    await until("the answer", () => answer.ended || answer.error).catch((error) => (answer.error = error));
    if (answer.status !== 200 || upstream.seen.ended !== ended + 1) return `${answer.status} ${answer.text ?? answer.error}`;
    return streamed ? "" : "held back until all of it was there";
  },

  async "smuggling"({ port, host, program }) {
    const before = program.log.length;
    const answers = {};
    for (const [name, bytes] of Object.entries(smuggled(host))) {
      answers[`/smuggled-${name}`] = (await raw(port, bytes.replaceAll("MARK", name))).match(/HTTP\/1\.[01] \d/g)?.length ?? 0;
    }
    await wait(300);
    // Two answers: the reverse proxy took it for two requests as well, and has judged both.
    const through = program.log.slice(before).filter((l) => answers[l.path] < 2);
    return through.map((l) => l.path).join(" ");
  },
};

// smuggled are requests whose end is in dispute; what a server takes for a second one asks
// for /smuggled-MARK.
function smuggled(host) {
  const inner = `GET /smuggled-MARK HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const head = (...lines) => ["POST /login HTTP/1.1", `Host: ${host}`, ...lines, "", ""].join("\r\n");
  const chunked = "0\r\n\r\n" + inner;
  return {
    "cl-te": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding: chunked") + chunked,
    "te-space": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding : chunked") + chunked,
    "te-tab": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding:\tchunked") + chunked,
    "te-twice": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding: chunked", "Transfer-Encoding: identity") + chunked,
    "te-odd": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding: xchunked") + chunked,
    "te-folded": head(`Content-Length: ${chunked.length}`, "Transfer-Encoding:\r\n chunked") + chunked,
    "cl-twice": head("Content-Length: 0", `Content-Length: ${inner.length}`) + inner,
    "cl-plus": head(`Content-Length: +${inner.length}`) + inner,
    "cl-list": head(`Content-Length: ${inner.length}, ${inner.length}`) + inner,
    "chunk-extension": head("Transfer-Encoding: chunked") + `1;a\n\r\nx\r\n${chunked}`.replace(chunked, `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`),
    "chunk-size": head("Transfer-Encoding: chunked") + `0x${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    "bare-lf": `POST /login HTTP/1.1\nHost: ${host}\nContent-Length: ${inner.length}\n\n${inner}`,
  };
}

// raw sends bytes and returns what comes back within a second and a half.
function raw(port, bytes) {
  return new Promise((resolve) => {
    let got = "";
    const socket = net.connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2" }, () => socket.write(bytes, "latin1"));
    socket.setTimeout(1500, () => socket.destroy());
    socket.on("data", (chunk) => (got += chunk)).on("error", () => {}).on("close", () => resolve(got));
  });
}

// parts returns the files of a reverse proxy, each with its name; a lone one has none.
function parts(text) {
  const [first, ...named] = text.split(/^# file: (.*)\n/m);
  const all = first ? [["", first]] : [];
  for (let i = 0; i < named.length; i += 2) all.push([named[i], named[i + 1]]);
  return all;
}

// begin starts a reverse proxy before the program, from its file in proxies/.
async function begin(name, backend) {
  if (name === "careless") return careless(backend);
  const front = fronts[name], port = await freePort(), dir = mkdtempSync(join(folder, `${name}-`));
  const file = join(dir, "front.conf");
  const text = readFileSync(new URL(`proxies/${name}.conf`, import.meta.url), "utf8")
    .replaceAll("PROXY-PORT", port).replaceAll("BACKEND-PORT", backend).replaceAll("FOLDER", dir);
  // Who has its settings in several files begins each with a line "# file: NAME".
  for (const [name, lines] of parts(text)) writeFileSync(name ? join(dir, name) : file, lines);
  const child = spawn(front.command, front.args({ dir, file, port }), { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir } });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  const end = () => child.exitCode === null && child.kill("SIGTERM");
  process.once("exit", end);
  await until(`${name} listens: ${said}`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
    return new Promise((resolve) => net.connect(port, "127.0.0.1").on("connect", function () { this.destroy(); resolve(true); }).on("error", () => resolve(false)));
  });
  return { port, stop: async () => { end(); await Promise.race([once(child, "exit"), wait(5000)]); child.kill("SIGKILL"); } };
}

// mistakes are the checks that the careless proxy has to fail.
const mistakes = ["X-Forwarded-For", "an event stream", "an upload", "smuggling"];

async function judge(name, port, site) {
  let bad = 0;
  for (const [what, check] of Object.entries(checks)) {
    if (what === fronts[name]?.fails) {
      console.log(`${name}: ${what}: left out, it fails without Countersign too`);
      continue;
    }
    const started = Date.now();
    const found = await check({ ...site, port, ask: client(port, site.host), direct: client(new URL(site.program.address).port, site.host) }).catch((error) => error.message);
    if (name === "careless") {
      const seen = !found === !mistakes.includes(what);
      bad += seen ? 0 : 1;
      console.log(`careless: ${what}: ${found ? `found: ${found}` : "right"}${seen ? "" : ", WRONG: it does not see what it must"}`);
      continue;
    }
    bad += found ? 1 : 0;
    console.log(`${name}: ${what}: ${found ? "WRONG: " + found : "right"} (${Date.now() - started} ms)`);
  }
  return bad;
}

// slowModes are slowhttptest's: what each sends, at which path, and after how many seconds the
// last of its connections has to be closed.
const slowModes = {
  slowloris: { flags: ["-H"], within: 15 },
  "slow body": { flags: ["-B", "-s", "8192"], within: 70 },
  "range header": { flags: ["-R"], within: 15 },
};

// slowReading lets it read a large file a byte in five seconds. It does not notice who ends
// that, so the log tells: it returns how many answers were still under way after 45 seconds.
async function slowReading({ program, alice }) {
  const { id } = await alice.api("POST", "/api/packages", toSign("Large", lease(1, 6 << 20)));
  const path = `/api/packages/${id}/documents/lease/pdf`, count = 50;
  const cookie = [...alice.cookies].map((pair) => pair.join("=")).join("; ");
  const child = spawn("slowhttptest", ["-X", "-u", program.origin + path, "-j", cookie, "-c", `${count}`, "-r", "100", "-l", "45", "-p", "5", "-w", "1", "-y", "2", "-z", "1", "-n", "5"], { stdio: "ignore" });
  await once(child, "exit");
  // Its probes, which ask in between, leave at once.
  return count - program.log.filter((l) => l.path === path && l.duration > 20).length;
}

// slow lets slowhttptest at the program in one mode. It returns how many of its connections
// were there at the end of the time in which they have to be closed.
async function slow(mode, origin) {
  const { flags, within } = slowModes[mode];
  const statistics = join(folder, mode.replace(" ", "-") + new URL(origin).port);
  const child = spawn("slowhttptest", [...flags, "-u", `${origin}/login`, "-c", "300", "-r", "100", "-l", `${within + 5}`, "-i", "5", "-p", "5", "-g", "-o", statistics], { stdio: "ignore" });
  await once(child, "exit");
  const seconds = readFileSync(`${statistics}.csv`, "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const largest = Math.max(...seconds.map(([, closed, , connected]) => closed + connected));
  if (largest < 50) throw new Error(`${mode}: ${largest} connections in all`);
  // It stops as soon as all of them are closed.
  const [last, , , connected] = seconds.at(-1);
  return last < within ? 0 : connected;
}

// slowClients lets all four modes at the program at the same time, while somebody else asks
// for a page; and at a server without limits of time, which has to be found.
async function slowClients(site) {
  if (!has("slowhttptest")) return console.log("slow clients: slowhttptest is not installed"), 1;
  const { program, host } = site;
  let ended = false, longest = 0, asked = 0, bad = 0;
  const patient = http.createServer({ headersTimeout: 0, requestTimeout: 0 }, (_, response) => response.end()).listen(0, "127.0.0.1");
  await once(patient, "listening");
  const found = slow("slowloris", `http://127.0.0.1:${patient.address().port}`);
  const modes = Promise.all([
    ...Object.keys(slowModes).map(async (mode) => [mode, await slow(mode, program.origin)]), slowReading(site).then((open) => ["slow reading", open]),
  ]).finally(() => (ended = true));
  while (!ended) {
    const started = Date.now();
    const page = await client(new URL(program.address).port, host)("/login");
    longest = Math.max(longest, Date.now() - started);
    asked++;
    if (page.status !== 200) bad++;
    await wait(500);
  }
  for (const [mode, open] of await modes) {
    console.log(`slow clients: ${mode}: ${open ? `WRONG: ${open} connections outlast their time` : "right"}`);
    bad += open ? 1 : 0;
  }
  console.log(`slow clients: ${asked} pages meanwhile, the slowest in ${longest} ms`);
  if (longest > 10_000) bad++;
  if (!(await found)) {
    console.log("slow clients: a server without limits of time is NOT FOUND");
    bad++;
  }
  patient.closeAllConnections();
  patient.close();
  return bad;
}

async function main() {
  const wanted = process.argv[2];
  const port = await freePort(), host = `localhost:${port}`;
  const settings = { ADDR: `127.0.0.1:${port}`, TRUSTED_PROXIES: "127.0.0.1", MAX_UPLOAD: "210MiB", MAX_DOCUMENT_SIZE: "210MiB" };
  const program = await start(settings);
  const upstream = await platform();
  const uploads = await start({ ...settings, ADDR: "127.0.0.1:0", PUBLIC_ORIGIN: `http://${host}`, RP_ORIGINS: `http://${host}`, SIGNING_URL: upstream.url, SIGNING_API_KEY: "key" });
  const site = { program, host, upstream };
  const alice = new Visitor(program.origin);
  await alice.signIn("alice@sandbox");
  site.alice = alice;
  site.token = await bearer(program, host);
  site.uploader = { token: await bearer(uploads, host) };
  site.asset = (await alice.ask("/")).text.match(/\/static\/[^"]+\.css/)[0];
  let bad = 0;
  try {
    if (!wanted || wanted === "slow") bad += await slowClients(site);
    for (const name of ["careless", ...Object.keys(fronts)]) {
      if (wanted && wanted !== name) continue;
      if (fronts[name] && !has(fronts[name].command)) {
        console.log(`${name} is not installed`);
        continue;
      }
      site.id = (await alice.api("POST", "/api/packages", toSign())).id;
      const front = await begin(name, port);
      const behind = await begin(name, new URL(uploads.address).port).catch((error) => ({ port: 0, stop() {}, error }));
      try {
        const upload = checks["an upload"];
        checks["an upload"] = (given) => upload({ ...given, port: behind.port });
        bad += await judge(name, front.port, site);
        checks["an upload"] = upload;
      } finally {
        await front.stop();
        await behind.stop();
      }
    }
  } finally {
    await program.stop();
    await uploads.stop();
    upstream.close();
  }
  if (bad) console.log(`${bad} findings`);
  process.exitCode = bad ? 1 : 0;
}

// bearer signs Alice in as an app does, and returns her token.
async function bearer(program, host) {
  const answer = await client(new URL(program.address).port, host)("/users/alice@sandbox/login", {
    method: "POST", body: JSON.stringify({ credentials: { passKey: "Sandbox-1!" } }), headers: { "Content-Type": "application/json", "Countersign-Session": "bearer" },
  });
  return JSON.parse(answer.text).sessionToken;
}

await main();
