/** Two panes that scroll together: the one that a person scrolls leads, by its share. */

export function scrollTogether(one: HTMLElement, other: HTMLElement): void {
  let leading: HTMLElement | undefined;
  for (const [pane, follower] of [[one, other], [other, one]] as const) {
    // What scrolls by itself, such as a lit word that comes into view, moves nothing else.
    for (const type of ["pointerenter", "wheel", "touchstart", "focusin", "keydown"]) {
      pane.addEventListener(type, () => { leading = pane; }, { passive: true });
    }
    pane.addEventListener("scroll", () => {
      if (leading === pane) follower.scrollTop = (pane.scrollTop / Math.max(1, roomOf(pane))) * roomOf(follower);
    }, { passive: true });
  }
}

function roomOf(pane: HTMLElement): number {
  return pane.scrollHeight - pane.clientHeight;
}
