/** A part of the page that draws what the model holds. */
export interface ConsoleView {
  /** At most once a frame, after something changed. */
  draw(): void;
}
