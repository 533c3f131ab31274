// make contract: the OpenAPI document, read by other tools. openapi-typescript makes types of
// it, a typed client compiles in strict mode and does its work, and Spectral finds nothing.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { lease, start, Visitor } from "./program.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../../bin/contract/", import.meta.url));
const tool = (name, ...given) => execFileSync(`${here}node_modules/.bin/${name}`, given, { stdio: "inherit", cwd: out });

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
symlinkSync(`${here}node_modules`, `${out}node_modules`);
cpSync(`${here}contract`, out, { recursive: true });
writeFileSync(`${out}package.json`, `{"type": "module"}`);

const program = await start();
try {
  writeFileSync(`${out}openapi.json`, (await new Visitor(program.origin).ask("/openapi.json")).text.replaceAll(program.origin, "https://countersign.example"));
  tool("openapi-typescript", "openapi.json", "--output", "schema.ts");
  tool("tsc", "--project", ".");
  const said = execFileSync("node", [`${out}client/client.js`, program.origin, Buffer.from(lease()).toString("base64")], { encoding: "utf8" });
  const expected = `{"status":"SENT","names":["Lease"],"key":"request.not-found"}\n`;
  if (said !== expected) throw new Error(`the client said ${said}, not ${expected}`);
  console.log("The typed client compiles in strict mode, and works.");
} finally {
  await program.stop();
}
tool("spectral", "lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity=warn");
