// Signs in to Countersign, lists packages and handles an error, with the types of its OpenAPI
// document.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };
const { COUNTERSIGN: origin = "http://localhost:8080", USER_ID: user = "alice@sandbox", PASSWORD: password = "Sandbox-1!" } = process.env;

type ErrorKey = components["schemas"]["ErrorKey"];
const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: origin });

// Without a browser, the session is a token. It goes with every further request.
const signedIn = await client.POST("/users/{user}/login", {
  params: { path: { user }, header: { "Countersign-Session": "bearer" } },
  body: { credentials: { passKey: password } },
});
if (signedIn.error) throw new Error(`${signedIn.error.key}: ${signedIn.error.detail}`);
const token = signedIn.data.sessionToken;
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${token}`);
    return request;
  },
});

const session = await client.GET("/session");
if (session.error) throw new Error(session.error.detail);
console.log(`Signed in as ${session.data.user.displayName ?? session.data.user.id}.`);

const list = await client.GET("/api/packages", { params: { query: { from: 1, to: 10 } } });
if (list.error) throw new Error(list.error.detail);
console.log(`Packages: ${list.data.count}`);
for (const one of list.data.results) console.log("name" in one ? `- ${one.name} (${one.status})` : `- ${one.id}`);

// An error has a key, which stays the same, and sentences for people.
const missing = await client.GET("/api/packages/{package}", { params: { path: { package: "missing" } } });
const handled: Partial<Record<ErrorKey, string>> = { "request.not-found": "There is no such package." };
if (missing.error) console.log(handled[missing.error.key] ?? missing.error.detail);

await client.DELETE("/session");
