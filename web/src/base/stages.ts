/**
 * How long the stages of the start take, in the browser's own timeline: its tools show them, and the bench reads
 * them (`tests/bench/peers/start_stages.py`). Names begin with "dragoman: ".
 */

const STAGE_PREFIX = "dragoman: ";

export async function timed<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    performance.measure(STAGE_PREFIX + stage, { start, end: performance.now() });
  }
}
