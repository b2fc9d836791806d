import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const NODE_GLOBALS = ["Buffer", "console", "Event", "EventTarget", "fetch", "performance", "process", "Request", "Response", "setTimeout", "TextDecoder", "TextEncoder", "URL"];
const PAGE_GLOBALS = ["AbortController", "AbortSignal", "clearInterval", "document", "location", "self", "setInterval", "URLSearchParams", "window"];
// A class of more than 20 methods; the reasons of one that is stand beside its switch.
const TOO_MANY = `ClassBody:has(> ${Array.from({ length: 21 }, () => "MethodDefinition").join(" ~ ")})`;

export default defineConfig(
  globalIgnores(["build/", "node_modules/", ".venv/", "wasm/", "docs/", "**/*.min.*"]),
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Figures in messages are formatted by hand where it matters.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "no-restricted-syntax": ["error", { selector: TOO_MANY, message: "A class has at most 20 methods." }],
    },
  },
  {
    files: ["tests/fixtures/pages/*.js", "tests/packages/apps/src/*.js", "examples/javascript/*.js"],
    languageOptions: { globals: Object.fromEntries(PAGE_GLOBALS.map((name) => [name, "readonly"])) },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])) },
  },
);
