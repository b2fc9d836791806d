import { defineConfig } from "vite";

export default defineConfig({ base: "./", build: { outDir: "dist/vite", target: "es2022" } });
