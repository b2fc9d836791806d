/** Keeps a background page awake while something is fetched: it is put to sleep after 30 seconds in which it did nothing for the browser. */

/** Milliseconds. */
const HEARTBEAT = 20_000;

/**
 * @param onbeat called now and then while it is busy.
 * @returns what is told, as often as one likes, whether it is: being told again does not put the next beat off.
 */
export function heartbeat(onbeat: () => void): (isBusy: boolean) => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  return (isBusy) => {
    if (isBusy) timer ??= setInterval(onbeat, HEARTBEAT);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
