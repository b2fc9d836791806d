import { resolve } from "node:path";

export default {
  mode: "production",
  entry: "./src/main.js",
  output: { path: resolve("dist/webpack"), filename: "main.js" },
  experiments: { outputModule: true },
  performance: { hints: false },
};
