// The README's example by openapi-fetch, with the types that openapi-typescript makes of /openapi.json.
//
//     node example.js ADDRESS TOKEN

import { deepEqual, equal, ok } from "node:assert/strict";

import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./interline.js";

type Schemas = components["schemas"];

const CONTENT = "# Plan\n\n- buy milk\n- call Bob\n";

/** What was asked for; an error ends the test. */
function done<T>(answer: { data?: T; error?: unknown }): T {
    ok(answer.data !== undefined, JSON.stringify(answer.error));
    return answer.data;
}

function refused(answer: { error?: Schemas["Error"] }, code: Schemas["ErrorCode"]): Schemas["Error"] & Record<string, unknown> {
    equal(answer.error?.error, code);
    ok(answer.error?.message && answer.error.suggestion);
    return answer.error;
}

const [address = "", token = ""] = process.argv.slice(2);
const withToken = (secret: string): Client<paths> =>
    createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${secret}` } });
const client = withToken(token);

async function edit(): Promise<string> {
    const note = done(await client.POST("/notes", { body: { title: "Plan", content: CONTENT, tags: ["home"] } }));
    deepEqual([note.type, note.version, note.description], ["note", 1, null]);

    const edited = done(
        await client.PATCH("/notes/{id}/str-replace", {
            params: { path: { id: note.id }, query: { include_content: false } },
            body: { old_str: "- call Bob", new_str: "- call Ann" },
        }),
    );
    deepEqual([edited.match_type, edited.line, edited.version, edited.content], ["exact", 4, 2, null]);
    return note.id;
}

async function find(id: string): Promise<void> {
    const found = done(await client.GET("/content", { params: { query: { q: "calling ann", type: ["note", "prompt"] } } }));
    deepEqual(found.items.map((item) => [item.id, item.snippet?.line]), [[id, 4]]);
    equal(found.next_cursor, null);

    const fields: Schemas["SearchField"][] = ["title", "content"];
    const inside = done(await client.GET("/content/{id}/search", { params: { path: { id }, query: { q: "plan", fields } } }));
    deepEqual(new Set(inside.matches.map((match) => match.field)), new Set(fields));

    const lines = done(await client.GET("/notes/{id}", { params: { path: { id }, query: { start_line: 3, end_line: 4 } } }));
    equal(lines.content, "- buy milk\n- call Ann");
    equal(lines.content_metadata?.is_partial, true);
}

async function conflicts(id: string): Promise<void> {
    const late = { old_str: "milk", new_str: "tea", expected_version: 1 };
    const path = { params: { path: { id } } };
    equal(refused(await client.PATCH("/notes/{id}/str-replace", { ...path, body: late }), "conflict").current_version, 2);
    const absent = { old_str: "- buy mylk", new_str: "", match: "exact" as const };
    ok(refused(await client.PATCH("/notes/{id}/str-replace", { ...path, body: absent }), "no_match").nearest);
    refused(await withToken("il_wrong").GET("/notes/{id}", path), "unauthorized");
    // @ts-expect-error: without `new_str`.
    const incomplete: Schemas["StrReplace"] = { old_str: "milk" };
    refused(await client.PATCH("/notes/{id}/str-replace", { ...path, body: incomplete }), "validation_failed");
}

async function goBack(id: string): Promise<void> {
    const diff = done(await client.GET("/notes/{id}/history/{version}/diff", { params: { path: { id, version: 2 } } }));
    ok(diff.diff.includes("-- call Bob\n+- call Ann\n"), diff.diff);
    const restored = done(await client.POST("/notes/{id}/history/{version}/restore", { params: { path: { id, version: 1 } } }));
    deepEqual([restored.content, restored.version], [CONTENT, 3]);
    const history = done(await client.GET("/notes/{id}/history", { params: { path: { id } } }));
    deepEqual(history.items.map((record) => record.version), [3, 2, 1]);
    equal(history.items[2]?.action, "create");
}

/** The requests whose bodies may be left out. */
async function lifecycle(id: string): Promise<void> {
    const path = { params: { path: { id } } };
    ok(done(await client.POST("/notes/{id}/archive", path)).archived_at);
    const query = { view: ["archived"], sort_by: "title", sort_order: "asc" } satisfies paths["/notes"]["get"]["parameters"]["query"];
    equal(done(await client.GET("/notes", { params: { query } })).total, 1);
    equal(done(await client.POST("/notes/{id}/unarchive", path)).archived_at, null);
    ok(done(await client.POST("/notes/{id}/track-usage", path)).last_used_at);
    equal((await client.DELETE("/notes/{id}", path)).response.status, 204);
    equal(done(await client.POST("/notes/{id}/restore", path)).deleted_at, null);
    const forGood = { params: { path: { id }, query: { permanent: true } } };
    equal((await client.DELETE("/notes/{id}", forGood)).response.status, 204);
    refused(await client.GET("/notes/{id}", path), "not_found");
}

async function rights(): Promise<void> {
    const made = done(await client.POST("/tokens", { body: { name: "reader", scopes: ["read"], kinds: ["note"] } }));
    deepEqual([made.scopes, made.expires_at], [["read"], null]);
    refused(await withToken(made.token).POST("/notes", { body: { title: "No" } }), "forbidden");
}

const id = await edit();
await find(id);
await conflicts(id);
await goBack(id);
await lifecycle(id);
await rights();
console.log("the TypeScript client runs the example");
