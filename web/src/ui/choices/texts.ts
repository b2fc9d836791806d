/** What the box of choices says to its reader: whoever shows it has its messages. Types only. */

export type ChoicesText =
  | "words" | "sentences" | "restore" | "close" | "searching" | "none" | "end" | "doubtful" | "remembered" | "too-long" | "changed" | "restored";

export interface ChoicesTexts {
  readonly say: (text: ChoicesText) => string;
  /** Of the box: what it is about. */
  readonly title: (word: string) => string;
  /** How many there are, and how they are reached. */
  readonly found: (count: number) => string;
  /** Of a translation memory's entry: the sentence that it translates, and how much alike they are, 0 to 1. */
  readonly alike: (source: string, similarity: number) => string;
  /** What an error means. */
  readonly problem: (error: unknown) => string;
  /** The reader's, BCP 47. */
  readonly language: () => string;
}
