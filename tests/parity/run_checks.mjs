// node run_checks.mjs < [{id, text, response, substrings}]: prints [{id, problems}] of those with any.
import { readFileSync } from "node:fs";
import { problems } from "./checks.mjs";

const cases = JSON.parse(readFileSync(0, "utf8"));
const found = cases.map(({ id, text, response, substrings }) => ({
  id,
  problems: problems(text, response, substrings),
}));
console.log(JSON.stringify(found.filter(({ problems: some }) => some.length > 0)));
