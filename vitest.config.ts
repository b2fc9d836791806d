import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/web/**/*.test.ts"],
    typecheck: { enabled: true, include: ["tests/web/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
  },
});
