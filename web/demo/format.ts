/** Figures for people. */

const whole = new Intl.NumberFormat("en");

export function formatNumber(value: number): string {
  return whole.format(value);
}

/** "11.2 MB", "850 kB". */
export function formatBytes(bytes: number): string {
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${Math.round(bytes / 1e3)} kB`;
}

/** "0.23 s", "12 s". */
export function formatSeconds(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`;
}

export function plural(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
