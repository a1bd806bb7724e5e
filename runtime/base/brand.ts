/** Coordinates are branded numbers, so that an index of one kind cannot pass for another. */
declare const brand: unique symbol;
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Declaration order of a prepared stage in its generation (cold first, then an invocation's). */
export type StageOrdinal = Branded<number, 'StageOrdinal'>;
/** Position of a member in its cohort, fixed when the cohort was formed. */
export type BatchOrdinal = Branded<number, 'BatchOrdinal'>;
/** Declaration order of a checkpoint in `prepare`. */
export type SourceOrdinal = Branded<number, 'SourceOrdinal'>;
/** A resident slot. */
export type RowIndex = Branded<number, 'RowIndex'>;

export const stageOrdinal = (n: number): StageOrdinal => n as StageOrdinal;
export const batchOrdinal = (n: number): BatchOrdinal => n as BatchOrdinal;
