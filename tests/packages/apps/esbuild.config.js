// It leaves `new URL("./...", import.meta.url)` as it is: the files go beside the script.
import { cpSync } from "node:fs";
import { build } from "esbuild";

await build({ entryPoints: ["src/main.js"], bundle: true, format: "esm", outdir: "dist/esbuild", logLevel: "warning" });
cpSync("node_modules/dragoman/dist/dragoman-files", "dist/esbuild/dragoman-files", { recursive: true });
cpSync("node_modules/dragoman-model-de-en/de-en", "dist/esbuild/de-en", { recursive: true });
