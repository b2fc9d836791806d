import { describe, expect, it } from "vitest";
import { Stops } from "../../../../web/src/workers/engine/stops.ts";

describe("Stops", () => {
  it("lets a run go on that nobody stops", async () => {
    const stops = new Stops();
    const run = stops.run(1, async (pause) => {
      await pause();
      await pause();
      return "done";
    });
    stops.stop(2);
    await expect(run).resolves.toBe("done");
  });

  it("ends a run at its next pause", async () => {
    const stops = new Stops();
    let turns = 0;
    const run = stops.run(1, async (pause) => {
      for (;;) {
        await pause();
        if (++turns === 3) stops.stop(1);
      }
    });
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
    expect(turns).toBe(3);
  });

  it("hears messages during a pause", async () => {
    const stops = new Stops();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      stops.stop(1);
    };
    port2.postMessage("stop");
    const run = stops.run(1, async (pause) => {
      for (;;) await pause();
    });
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
    port1.close();
  });

  it("forgets a ticket that has ended", async () => {
    const stops = new Stops();
    await stops.run(1, () => Promise.resolve());
    stops.stop(1);
    await expect(stops.run(1, (pause) => pause())).resolves.toBeUndefined();
  });
});
