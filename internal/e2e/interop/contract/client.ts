declare const process: { argv: string[] };
// A client as somebody would write it with the types of /openapi.json. It compiles in strict
// mode, and `make contract` runs it against the program.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [origin, file] = process.argv.slice(2);
if (origin === undefined || file === undefined) throw new Error("usage: client.js ORIGIN PDF-AS-BASE64");

const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: origin });

// told throws what a problem says.
function told(problem: components["schemas"]["Problem"]): never {
  throw new Error(`${problem.key}: ${problem.title}`);
}

const signedIn = await client.POST("/users/{user}/login", {
  params: { path: { user: "alice@sandbox" }, header: { "Countersign-Session": "bearer" } },
  body: { credentials: { passKey: "Sandbox-1!" } },
});
if (signedIn.error) told(signedIn.error);
const token: string | undefined = signedIn.data.sessionToken;
if (!token) throw new Error("no token");
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
});

const created = await client.POST("/api/packages", {
  body: {
    name: "Lease",
    status: "SENT",
    roles: [{ id: "tenant", signers: [{ email: "bob@sandbox.example", firstName: "Bob", lastName: "Baker" }] }],
    documents: [
      {
        id: "lease",
        name: "Lease",
        base64Content: file,
        approvals: [{ role: "tenant", fields: [{ type: "SIGNATURE", subtype: "FULLNAME", page: 0, left: 72, top: 300, width: 200, height: 50 }] }],
      },
    ],
  },
});
if (created.error) told(created.error);
const path = { package: created.data.id };

const read = await client.GET("/api/packages/{package}", { params: { path } });
if (read.error) told(read.error);
const status: string | undefined = read.data.status;

const list = await client.GET("/api/packages", { params: { query: { from: 1, to: 10 } } });
if (list.error) told(list.error);
const names: string[] = list.data.results.map((one) => "name" in one ? one.name : one.id);

const nobody = await client.GET("/api/packages/{package}", { params: { path: { package: "nobody" } } });
const key: components["schemas"]["ErrorKey"] | undefined = nobody.error?.key;

console.log(JSON.stringify({ status, names, key }));
