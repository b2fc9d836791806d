/** Figures for people. */

import { pageLanguage } from "./texts.ts";

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(pageLanguage()).format(value);
}

export function formatPercent(share: number): string {
  return new Intl.NumberFormat(pageLanguage(), { style: "percent" }).format(share);
}

/** "11.2 MB", "850 kB". */
export function formatBytes(bytes: number): string {
  return bytes >= 1e6 ? `${fixed(bytes / 1e6, 1)} MB` : `${fixed(bytes / 1e3, 0)} kB`;
}

/** "0.23 s", "12 s". */
export function formatSeconds(seconds: number): string {
  return `${fixed(seconds, seconds < 10 ? 2 : 0)} s`;
}

export function formatScore(score: number, digits: number): string {
  return fixed(score, digits);
}

function fixed(value: number, digits: number): string {
  return new Intl.NumberFormat(pageLanguage(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}
