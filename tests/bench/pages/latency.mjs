// The page's side of tests/bench/pages/latency.py: a typed sentence alone, and while a page is translated.

const now = () => performance.now();

export async function measure({ blocks, typed, seconds, samples }) {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  const options = { cache: false, alignment: "hard" };
  const time = async (text) => {
    const started = now();
    await translator.submit(text, options).result;
    return now() - started;
  };
  const translatePage = () => blocks.map((block) => translator.submit(block, { ...options, priority: "visible" }).result);

  for (let run = 0; run < 60; run++) await time(typed[run % typed.length]); // V8 compiles in two tiers.
  const alone = [];
  for (let run = 0; run < samples; run++) alone.push(await time(typed[run % typed.length]));

  const before = await translator.statistics();
  let started = now();
  await Promise.all(translatePage());
  const page = now() - started;
  const after = await translator.statistics();
  const batches = after.mini_batches - before.mini_batches;
  const miniBatch = ((after.engine_seconds - before.engine_seconds) / batches) * 1000;

  const during = [];
  started = now();
  while (during.length < samples && now() - started < seconds * 1000) {
    let open = true;
    const done = Promise.all(translatePage()).then(() => { open = false; });
    // Pauses of all lengths, so that a sentence comes at any point of a mini-batch.
    for (let run = 0; open && during.length < samples; run++) {
      await new Promise((resolve) => { setTimeout(resolve, Math.random() * 2 * miniBatch); });
      const took = await time(typed[run % typed.length]);
      if (open) during.push(took);
    }
    await done;
  }
  translator.destroy();
  return { alone, during, page, batches, miniBatch };
}
