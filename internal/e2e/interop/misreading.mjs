// A reverse proxy that makes the mistakes that proxies.mjs looks for, to see that it finds them. It
// sends the first of several Content-Lengths alone, and all bytes that came, so that what it takes
// for one request the program takes for two; it believes a client's X-Forwarded-For; and it holds
// bodies and answers back until they are whole.
import { once } from "node:events";
import net from "node:net";

export async function careless(backend) {
  const server = net.createServer((client) => client.on("error", () => {}).on("data", gather(client, backend))).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: server.address().port, stop: () => server.close() };
}

// gather passes a request on once it is whole.
function gather(client, backend) {
  const chunks = [];
  let missing; // bytes of the request
  return (chunk) => {
    chunks.push(chunk);
    if (missing === undefined) {
      const text = Buffer.concat(chunks).toString("latin1"), end = /\r?\n\r?\n/.exec(text);
      if (!end) return;
      missing = end.index + end[0].length + Number(/^content-length: *\+?(\d+)/im.exec(text.slice(0, end.index))?.[1] ?? 0) - text.length;
    } else {
      missing -= chunk.length;
    }
    if (missing <= 0) pass(client, backend, [withOneLength(chunks[0]), ...chunks.slice(1)]);
  };
}

// withOneLength removes every Content-Length but the first.
function withOneLength(chunk) {
  let seen = 0;
  const text = chunk.toString("latin1").replace(/^content-length:.*\r\n/gim, (line) => (seen++ ? "" : line));
  return Buffer.from(text, "latin1");
}

// pass sends a request to the program, and its first answer back.
function pass(client, backend, chunks) {
  const program = net.connect(backend, "127.0.0.1", () => chunks.forEach((chunk) => program.write(chunk)));
  let answer = "";
  program.on("error", () => client.destroy()).on("data", (chunk) => {
    answer += chunk.toString("latin1");
    const end = answer.indexOf("\r\n\r\n") + 4, head = answer.slice(0, end);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const whole = /^transfer-encoding: *chunked/im.test(head) ? answer.endsWith("0\r\n\r\n") : end > 3 && answer.length >= end + Number(length ?? 0);
    if (whole) client.end(length ? answer.slice(0, end + Number(length)) : answer, "latin1");
  });
  client.on("close", () => program.destroy());
}
