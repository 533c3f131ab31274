// make client: the TypeScript example gets its types from the program, compiles in strict mode
// and does what its README says.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { start, toSign, Visitor } from "./program.mjs";

const cwd = fileURLToPath(new URL("../../../examples/client-ts/", import.meta.url));
const program = await start();
try {
  const alice = new Visitor(program.origin);
  await alice.signIn("alice@sandbox");
  await alice.api("POST", "/api/packages", toSign());
  const npm = (script) => execFileSync("npm", ["run", "--silent", script], { cwd, encoding: "utf8", env: { ...process.env, COUNTERSIGN: program.origin } });
  npm("types");
  npm("check");
  const said = npm("start");
  const expected = "Signed in as Alice Archer.\nPackages: 1\n- Lease of the mill (SENT)\nThere is no such package.\n";
  if (said !== expected) throw new Error(`the client said ${said}, not ${expected}`);
  console.log("The TypeScript client compiles in strict mode, and works.");
} finally {
  await program.stop();
}
