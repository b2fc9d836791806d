// The version, from the one place where it stands: py/dragoman/__init__.py
import { readFileSync } from "node:fs";

const path = new URL("../py/dragoman/__init__.py", import.meta.url);
const [, number] = /^__version__ = "([^"]+)"$/m.exec(readFileSync(path, "utf8")) ?? [];
if (!number) throw new Error("py/dragoman/__init__.py names no __version__");

export const version = number;
