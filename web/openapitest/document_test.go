package openapitest_test

// document has an operation of each kind that the checker treats specially.
const document = `{
  "openapi": "3.1.0",
  "info": {"title": "A shelf of books", "version": "1"},
  "servers": [{"url": "https://books.example"}],
  "paths": {
    "/books/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[a-z@ ]+$"}}],
      "get": {
        "operationId": "getBook",
        "security": [{"cookie": []}, {"bearer": []}],
        "responses": {
          "200": {
            "description": "The book.",
            "headers": {"Cache-Control": {"required": true, "schema": {"type": "string", "const": "no-store"}}},
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Book"}, "example": {"title": "Emma", "pages": null}},
              "text/html": {}
            }
          },
          "303": {"description": "Elsewhere.", "content": {"text/html": {}}},
          "404": {"$ref": "#/components/responses/Gone"}
        }
      },
      "put": {
        "operationId": "putBook",
        "security": [{}],
        "parameters": [{"name": "mode", "in": "query", "schema": {"type": "string", "enum": ["draft"]}}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}}},
        "responses": {
          "200": {"description": "Done.", "x-may-be-empty": true, "content": {"application/json": {}}},
          "204": {"description": "Done."},
          "400": {"$ref": "#/components/responses/Gone"},
          "429": {
            "description": "Too many.",
            "headers": {"Retry-After": {"required": true, "schema": {"type": "integer", "minimum": 1}}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
          }
        }
      }
    },
    "/": {"get": {"operationId": "home", "responses": {"200": {"description": "It.", "content": {"text/plain": {}}}}}}
  },
  "x-elsewhere": {"responses": {"404": {"$ref": "#/components/responses/Gone"}}},
  "components": {
    "securitySchemes": {
      "cookie": {"type": "apiKey", "in": "cookie", "name": "reader"},
      "bearer": {"type": "http", "scheme": "bearer"}
    },
    "responses": {
      "Gone": {
        "description": "It is gone.",
        "content": {"application/problem+json": {"schema": {
          "allOf": [{"$ref": "#/components/schemas/Problem"}, {"properties": {"key": {"enum": ["gone"]}}}]
        }}}
      }
    },
    "schemas": {
      "Book": {
        "type": "object", "additionalProperties": false, "required": ["title", "pages"],
        "properties": {"title": {"$ref": "#/components/schemas/Text"}, "pages": {"type": ["integer", "null"]}, "kind": {"type": "string"}},
        "if": {"required": ["kind"], "properties": {"kind": {"const": "scroll"}}},
        "then": {"properties": {"pages": {"type": "null"}}}
      },
      "Text": {"type": "string", "minLength": 1},
      "Problem": {"allOf": [{"$ref": "#/components/schemas/Members"}], "unevaluatedProperties": false},
      "Members": {"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}
    }
  }
}`
