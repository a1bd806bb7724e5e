/** What a broken law says: collected, first ones kept, never thrown into the actors. */
export interface Violation {
  readonly law: string;
  readonly detail: string;
}

/** Enough to see what happened; a broken run breaks laws by the hundred. */
const KEPT = 20;

export class Report {
  readonly violations: Violation[] = [];

  readonly add = (law: string, detail: string): void => {
    const isKnown = this.violations.some((one) => one.law === law && one.detail === detail);
    if (!isKnown && this.violations.length < KEPT) this.violations.push({ law, detail });
  };
}
