import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/web/**/*.test.ts"],
    testTimeout: 60_000, // A busy machine is no failure.
    typecheck: { enabled: true, include: ["tests/web/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
  },
});
