/** How far elements are from what the reader sees. */

import type { Priority } from "./units/blocks.ts";

export type Nearness = Extract<Priority, "visible" | "near" | "background">;

export type OnNearness = (element: Element, nearness: Nearness) => void;

export interface Visibility {
  /** `onnearness` is called soon, and again whenever it changes. */
  observe(element: Element): void;
  unobserve(element: Element): void;
  stop(): void;
}

export type MakeVisibility = (onnearness: OnNearness) => Visibility;

/** How far beyond the window is near: this part of its height. */
const NEAR = "150% 25%";

/** By two intersection observers; also of elements in frames of the same origin and shadow trees. */
export function browserVisibility(onnearness: OnNearness): Visibility {
  const seen = new WeakMap<Element, { visible: boolean; near: boolean }>();
  const make = (key: "visible" | "near", rootMargin: string): IntersectionObserver =>
    new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const state = seen.get(target) ?? { visible: false, near: false };
          state[key] = isIntersecting;
          seen.set(target, state);
          onnearness(target, state.visible ? "visible" : state.near ? "near" : "background");
        }
      },
      { rootMargin },
    );
  // The wide one first, so that what is far is not called near for a moment.
  const observers = [make("near", NEAR), make("visible", "0px")];
  return {
    observe(element) {
      for (const observer of observers) observer.observe(element);
    },
    unobserve(element) {
      for (const observer of observers) observer.unobserve(element);
    },
    stop() {
      for (const observer of observers) observer.disconnect();
    },
  };
}
