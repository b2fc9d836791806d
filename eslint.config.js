import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const NODE_GLOBALS = ["Buffer", "console", "fetch", "performance", "process", "setTimeout", "TextDecoder", "TextEncoder", "URL"];
const PAGE_GLOBALS = ["AbortSignal", "clearInterval", "document", "location", "setInterval", "URLSearchParams", "window"];

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
    },
  },
  {
    files: ["tests/fixtures/pages/*.js", "tests/packages/apps/src/*.js"],
    languageOptions: { globals: Object.fromEntries(PAGE_GLOBALS.map((name) => [name, "readonly"])) },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    languageOptions: { globals: Object.fromEntries(NODE_GLOBALS.map((name) => [name, "readonly"])) },
  },
);
